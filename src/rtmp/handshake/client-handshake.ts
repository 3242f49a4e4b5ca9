import { WireError } from '../../bytes/wire-error.js';
import {
  DIGEST_BYTES,
  type DigestScheme,
  findDigest,
  HANDSHAKE_BYTES,
  signPacket,
  signReply,
  verifyReply,
} from './digest.js';
import { type HandshakeStep, type RandomBytes, RTMP_VERSION } from './server-handshake.js';

const FILL_FROM = 8;
/** Version field of a Flash Player that supports the digest handshake. */
const CLIENT_VERSION = [0x80, 0, 7, 2] as const;

/** The client's half of the handshake (RTMP 1.0 5.2), plain or with digest. */
export class ClientHandshake {
  readonly #randomBytes: RandomBytes;
  readonly #digestScheme: DigestScheme | undefined;
  readonly #answer = new Uint8Array(1 + 2 * HANDSHAKE_BYTES);
  #c1: Uint8Array = new Uint8Array(0);
  #received = 0;
  #answered = false;

  /** Without a digest scheme: the plain handshake. */
  constructor(randomBytes: RandomBytes, digest?: DigestScheme) {
    this.#randomBytes = randomBytes;
    this.#digestScheme = digest;
  }

  get done(): boolean {
    return this.#received === this.#answer.length;
  }

  /** C1 as it was sent. */
  get sent(): Uint8Array {
    return this.#c1;
  }

  /** S1 carries a valid digest, and S2 is signed for our C1. */
  get serverVerified(): boolean {
    const [, s1, s2] = this.#parts();
    if (!this.done || this.#digestScheme === undefined || findDigest(s1, 'server') === undefined) return false;
    const own = findDigest(this.#c1, 'client');
    return own !== undefined && verifyReply(s2, own.digest, 'server');
  }

  /** S2 repeats our C1, which librtmp requires in the plain handshake. */
  get serverEchoed(): boolean {
    return this.done && Buffer.compare(this.#parts()[2], this.#c1) === 0;
  }

  #parts(): readonly [number, Uint8Array, Uint8Array] {
    const all = this.#answer;
    return [all[0] as number, all.subarray(1, 1 + HANDSHAKE_BYTES), all.subarray(1 + HANDSHAKE_BYTES)];
  }

  /** Returns C0 and C1, to be sent. */
  start(): Uint8Array {
    const out = new Uint8Array(1 + HANDSHAKE_BYTES);
    out[0] = RTMP_VERSION;
    this.#c1 = out.subarray(1);
    this.#c1.set(this.#randomBytes(HANDSHAKE_BYTES - FILL_FROM), FILL_FROM);
    if (this.#digestScheme !== undefined) {
      this.#c1.set(CLIENT_VERSION, 4);
      signPacket(this.#c1, this.#digestScheme, 'client');
    }
    return out;
  }

  /** Consumes handshake bytes. @throws WireError RTMP_VERSION */
  push(bytes: Uint8Array): HandshakeStep {
    if (this.#received === 0 && bytes.length > 0 && bytes[0] !== RTMP_VERSION) {
      throw new WireError('RTMP_VERSION', `server handshake version ${bytes[0]} is not supported`, 'RTMP 1.0 5.2.2', 0);
    }
    const size = Math.min(bytes.length, this.#answer.length - this.#received);
    this.#answer.set(bytes.subarray(0, size), this.#received);
    this.#received += size;
    if (this.#answered || this.#received < 1 + HANDSHAKE_BYTES) return { taken: size, reply: undefined };
    this.#answered = true;
    return { taken: size, reply: this.#c2() };
  }

  #c2(): Uint8Array {
    const s1 = this.#parts()[1];
    const found = this.#digestScheme === undefined ? undefined : findDigest(s1, 'server');
    if (found === undefined) return s1.slice();
    const c2 = new Uint8Array(HANDSHAKE_BYTES);
    c2.set(this.#randomBytes(HANDSHAKE_BYTES - DIGEST_BYTES));
    signReply(c2, found.digest, 'client');
    return c2;
  }
}

import { WireError } from '../../bytes/wire-error.js';
import { DIGEST_BYTES, findDigest, HANDSHAKE_BYTES, signPacket, signReply } from './digest.js';

export const RTMP_VERSION = 3;
const FILL_FROM = 8;
/** A version of Flash Media Server that supports the digest handshake. Clients only check that it is not zero. */
const SERVER_VERSION = [4, 5, 0, 1] as const;

export type RandomBytes = (count: number) => Uint8Array;

export interface HandshakeStep {
  /** Bytes of the input that belong to the handshake. */
  readonly taken: number;
  /** To be sent. */
  readonly reply: Uint8Array | undefined;
}

/**
 * The server's half of the handshake (RTMP 1.0 5.2): waits for C0 and C1, answers S0, S1 and S2 in one write, waits for C2.
 * A C1 with a valid digest is answered with digests, any other is echoed. C2 is not checked: some encoders do not echo S1.
 */
export class ServerHandshake {
  readonly #randomBytes: RandomBytes;
  #c1: Uint8Array | undefined;
  #received = 0;
  #digest = false;

  constructor(randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
  }

  get done(): boolean {
    return this.#received === 1 + 2 * HANDSHAKE_BYTES;
  }

  /** The client's C1 carried a valid digest. Known once C1 has arrived. */
  get usedDigest(): boolean {
    return this.#digest;
  }

  /**
   * Consumes handshake bytes; the rest is the first chunk.
   * @throws WireError RTMP_VERSION (6 is RTMPE, 71 the G of an HTTP GET)
   */
  push(bytes: Uint8Array): HandshakeStep {
    let at = 0;
    let reply: Uint8Array | undefined;
    if (this.#received === 0 && bytes.length > 0) {
      const version = bytes[0] as number;
      if (version !== RTMP_VERSION) {
        throw new WireError('RTMP_VERSION', `handshake version ${version} is not supported; 3 is`, 'RTMP 1.0 5.2.2', 0);
      }
      this.#c1 = new Uint8Array(HANDSHAKE_BYTES);
      this.#received = 1;
      at = 1;
    }
    if (this.#c1 !== undefined) {
      const size = Math.min(bytes.length - at, 1 + HANDSHAKE_BYTES - this.#received);
      this.#c1.set(bytes.subarray(at, at + size), this.#received - 1);
      this.#received += size;
      at += size;
      if (this.#received === 1 + HANDSHAKE_BYTES) {
        const c1 = this.#c1;
        this.#c1 = undefined;
        reply = this.#answer(c1);
      }
    }
    if (this.#received > HANDSHAKE_BYTES) {
      const size = Math.min(bytes.length - at, 1 + 2 * HANDSHAKE_BYTES - this.#received);
      this.#received += size;
      at += size;
    }
    return { taken: at, reply };
  }

  #answer(c1: Uint8Array): Uint8Array {
    const out = new Uint8Array(1 + 2 * HANDSHAKE_BYTES);
    const s1 = out.subarray(1, 1 + HANDSHAKE_BYTES);
    const s2 = out.subarray(1 + HANDSHAKE_BYTES);
    out[0] = RTMP_VERSION;
    s1.set(this.#randomBytes(HANDSHAKE_BYTES - FILL_FROM), FILL_FROM);
    const found = findDigest(c1, 'client');
    if (found === undefined) {
      // librtmp compares all 1536 bytes of S2 with its C1.
      s2.set(c1);
    } else {
      this.#digest = true;
      s1.set(SERVER_VERSION, 4);
      signPacket(s1, found.scheme, 'server');
      s2.set(this.#randomBytes(HANDSHAKE_BYTES - DIGEST_BYTES));
      signReply(s2, found.digest, 'server');
    }
    return out;
  }
}

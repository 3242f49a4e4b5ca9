/** One connection to a target: its addresses are checked, its certificate too, and its words are kept. */
import { randomBytes } from 'node:crypto';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { codeOf, messageOf } from '../../lib/errors.js';
import { visible } from '../../lib/visible.js';
import type { Clock } from '../../ports/index.js';
import { CAPS_EX } from '../../rtmp/messages/capabilities.js';
import { MESSAGE_TYPE } from '../../rtmp/protocol.js';
import type { PublishUrl } from '../../rtmp/publish-url.js';
import { ClientSession, type ClientStatus } from '../../rtmp/session/client-session.js';
import type { Outgoing, TargetStatus } from '../core/forward.js';
import { FORWARD_LIMITS } from '../core/limits.js';
import { type Reachable, reachableAddresses } from './addresses.js';
import { Outbox } from './outbox.js';

/** Member of `connect` with the random ids of the deployments that a stream has passed, with commas. */
export const PASSED_MEMBER = 'airlockPassed';

const MESSAGE_TYPES = { audio: MESSAGE_TYPE.audio, video: MESSAGE_TYPE.video, data: MESSAGE_TYPE.dataAmf0 } as const;
/** Codecs beside those of FLV that can be passed on. */
const FOUR_CC_LIST = ['av01', 'hvc1', 'vp09'];

export interface TargetOptions {
  readonly url: PublishUrl;
  readonly key: string;
  /** Ids of the deployments that the stream has passed, ours included. */
  readonly passed: readonly string[];
  readonly reachable: Reachable;
  /** Authorities that are trusted, TLS 1.2 at least: one for all targets, since to read the authorities takes 30 ms. */
  readonly secureContext: () => SecureContext;
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
}

/** Told of one connection: `opened` or `refused` or `lost` first, nothing after `refused` and `lost`. */
export interface TargetEvents {
  /** `takesTracks`: the target says that it reads several tracks. */
  opened(takesTracks: boolean): void;
  said(status: TargetStatus): void;
  /** The target refused to take the stream. */
  refused(status: TargetStatus, reason: string): void;
  /** There is no connection. */
  lost(reason: string): void;
  /** The kernel has taken bytes. */
  wrote(): void;
}

export class Target {
  readonly #options: TargetOptions;
  readonly #events: TargetEvents;
  readonly #session: ClientSession;
  #socket: Socket | undefined;
  #outbox: Outbox | undefined;
  #isOver = false;
  #isOpen = false;
  #reason = 'the target closed the connection';
  /** Address and port that it is connected to. */
  remote: string | undefined;

  constructor(options: TargetOptions, events: TargetEvents) {
    this.#options = options;
    this.#events = events;
    const { url, key, passed } = options;
    const app = url.path.replace(/\/+$/, '');
    this.#session = new ClientSession({
      app,
      tcUrl: `${url.isSecure ? 'rtmps' : 'rtmp'}://${url.shownHost}:${url.port}/${app}`,
      name: key,
      fourCcList: FOUR_CC_LIST,
      connectProperties: { capsEx: CAPS_EX.multitrack | CAPS_EX.modEx, [PASSED_MEMBER]: passed.join() },
      randomBytes: (count) => randomBytes(count),
      sink: {
        send: (bytes) => this.#write(bytes),
        takeStatus: (status) => this.#said(status),
      },
    });
    void this.#connect();
  }

  get hasRoom(): boolean {
    return this.#outbox?.hasRoom === true;
  }

  /** Bytes of media that the kernel has. */
  get written(): number {
    return this.#outbox?.written ?? 0;
  }

  get sinceMs(): number | undefined {
    return this.#outbox?.sinceMs;
  }

  send({ kind, timestampMs, bytes, atMs }: Outgoing): void {
    const outbox = this.#outbox;
    if (outbox === undefined) return;
    const typeId = MESSAGE_TYPES[kind];
    const session = this.#session;
    const most = session.maxEncodedBytes(bytes.length);
    const isPut = outbox.put(most, atMs, (buffer, at) => session.sendInto(buffer, at, typeId, timestampMs, bytes));
    if (isPut) return;
    const large = Buffer.allocUnsafeSlow(most);
    outbox.push(large.subarray(0, session.sendInto(large, 0, typeId, timestampMs, bytes)), atMs);
  }

  flush(): void {
    this.#outbox?.flush();
  }

  /** Ends the publish, and tells nothing more. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    if (this.#isOpen) this.#session.close();
    if (this.#outbox === undefined) socket.end();
    else this.#outbox.end();
    setTimeout(() => socket.destroy(), FORWARD_LIMITS.closeMs).unref();
  }

  /** Behind the media that waits: a message may be in two writes. */
  #write(bytes: Uint8Array): void {
    if (this.#outbox === undefined) this.#socket?.write(bytes);
    else {
      this.#outbox.push(bytes, this.#options.clock.monotonicMs());
      this.#outbox.flush();
    }
  }

  async #connect(): Promise<void> {
    const { url, reachable, secureContext } = this.#options;
    const { host, port, isSecure } = url;
    try {
      const addresses = await reachableAddresses(reachable, host, port);
      if (this.#isOver) return;
      // The socket connects to the addresses that were checked, whatever the name leads to meanwhile.
      const lookup: LookupFunction = (_host, options, done) => {
        const [first] = addresses;
        if (options.all === true) done(null, [...addresses]);
        else done(null, first?.address ?? '', first?.family);
      };
      const name = isIP(host) === 0 ? { servername: host } : {};
      const socket = isSecure
        ? connectTls({ host, port, lookup, ...name, secureContext: secureContext() })
        : connectPlain({ host, port, lookup });
      this.#follow(socket, isSecure ? 'secureConnect' : 'connect');
    } catch (error) {
      this.#lose(messageOf(error));
    }
  }

  #follow(socket: Socket, connected: 'secureConnect' | 'connect'): void {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.once(connected, () => {
      this.remote = `${socket.remoteAddress}:${socket.remotePort}`;
      if (!this.#isOver) this.#session.start();
    });
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => {
      this.#reason = connectionProblem(error);
    });
    socket.on('close', () => this.#lose(this.#reason));
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#session.push(bytes);
    } catch (error) {
      this.#lose(`the target does not speak RTMP: ${messageOf(error)}`);
      return;
    }
    const { state, refusal } = this.#session;
    if (refusal !== undefined && !this.#isOver) this.#refuse(refusal);
    else if (state === 'publishing' && !this.#isOpen) this.#open();
  }

  #open(): void {
    if (this.#socket === undefined) return;
    this.#isOpen = true;
    this.#outbox = new Outbox(this.#socket, () => {
      if (!this.#isOver) this.#events.wrote();
    });
    this.#events.opened(((this.#session.peerCapabilities?.capsEx ?? 0) & CAPS_EX.multitrack) !== 0);
  }

  #refuse(refusal: ClientStatus): void {
    const status = this.#words(refusal);
    this.#end();
    this.#events.refused(status, `the target says "${status.description || status.code || 'no'}"`);
  }

  /** A publish that the target ends is lost, not refused: the next attempt shows whether it is taken again. */
  #said(status: ClientStatus): void {
    if (this.#isOver) return;
    const words = this.#words(status);
    this.#events.said(words);
    if (this.#isOpen && status.level === 'error') this.#lose(`the target says "${words.description || words.code}"`);
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#events.lost(this.#clean(reason));
  }

  #end(): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  #words({ level, code, description }: ClientStatus): TargetStatus {
    const words = { level: this.#clean(level), code: this.#clean(code), description: this.#clean(description) };
    return { ...words, atMs: this.#options.clock.wallMs() };
  }

  /** One line without control characters, and without the key, which some targets repeat. */
  #clean(text: string): string {
    const { key } = this.#options;
    const [plain = ''] = key.split('?');
    let clean = text;
    for (const secret of [key, plain]) if (secret.length >= 4) clean = clean.replaceAll(secret, '***');
    return visible(clean).slice(0, FORWARD_LIMITS.wordsLength);
  }
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

function connectionProblem(error: Error): string {
  const code = codeOf(error);
  if (UNTRUSTED.has(code)) return 'the certificate is not of a trusted authority';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate is for other names';
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate has expired';
  if (code === 'ECONNREFUSED') return 'the target refused the connection';
  if (code === 'ECONNRESET') return 'the target reset the connection';
  if (code === 'ETIMEDOUT') return 'the target does not answer';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no route to the target';
  if (code === 'EPIPE') return 'the target closed the connection';
  return code === 'EPROTO' || code.startsWith('ERR_SSL') ? 'the TLS handshake failed' : messageOf(error);
}

/**
 * The socket of one RTMP connection: bytes to and from its session, and how the connection ends. A fault ends only this
 * connection, with a named cause and one log line.
 */
import type { Socket } from 'node:net';
import type { PublishHandler } from '../../broadcasts/broadcast-engine.js';
import { type CloseReason, FAILED, unreadable } from '../../broadcasts/publisher/close-reasons.js';
import { WireError } from '../../bytes/wire-error.js';
import type { Place } from '../../lib/places.js';
import type { Clock, JoinedLog } from '../../ports/index.js';
import type { ServerSession } from '../../rtmp/session/server-session.js';
import type { ReadPace } from '../sockets/read-pace.js';
import { socketKey } from '../sockets/receive-queues.js';
import type { RtmpDeps } from './deps.js';
import { CONNECTION_LIMITS, LIMIT_CODES } from './limits.js';

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly address: string;
  /** Idle until a publish arrives, settled while one runs. A preflight stays a connection of its address. */
  readonly place: Place;
  /** The connection is over TLS, terminated here or by a trusted proxy. */
  readonly secure: boolean;
  readonly deps: RtmpDeps;
  /** When it is read once it has published for some time. */
  readonly pace: ReadPace;
  readonly desk: PublishHandler;
  readonly onRefusedPublish: (reason: string) => void;
  readonly onClosed: () => void;
}

export type Phase = 'connecting' | 'deciding' | 'publishing' | 'closing' | 'closed';

export abstract class SessionSocket {
  readonly address: string;
  protected readonly options: ConnectionOptions;
  protected abstract readonly session: ServerSession;
  /** A stranger's until its key has been found valid. */
  protected log: JoinedLog;
  /** Fields of each of its lines. */
  protected readonly facts: object;
  protected readonly openedMs: number;
  /** Of the last bytes. */
  protected nowMs: number;
  protected currentPhase: Phase = 'connecting';
  protected cause = 'closed by the peer';
  readonly #socket: Socket;
  readonly #clock: Clock;
  #destroyAtMs = 0;
  /** Answers of this read wait in the socket, and leave in one TLS record. */
  #isHeld = false;
  #isReading = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.#socket = options.socket;
    this.#clock = options.deps.clock;
    this.address = options.address;
    this.nowMs = this.#clock.monotonicMs();
    this.openedMs = this.nowMs;
    this.facts = { connection: options.deps.ids.next(), address: options.address, secure: options.secure };
    this.log = options.deps.strangers.child(this.facts);
    // After a TLS error the socket is unusable, but Node leaves it open.
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.destroy(error.code ?? error.message));
    this.#socket.on('close', () => this.#onClose());
  }

  get phase(): Phase {
    return this.currentPhase;
  }

  get bytesReceived(): number {
    return this.session.bytesReceived;
  }

  get messagesReceived(): number {
    return this.session.messagesReceived;
  }

  /** By which the kernel's lists name this connection. */
  get socketKey(): string {
    return socketKey(this.#socket.localPort ?? 0, this.#socket.remotePort ?? 0);
  }

  // ---------------------------------------------------------------- bytes

  refersTo(bytes: Uint8Array): boolean {
    return this.session.refersTo(bytes);
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    if (this.currentPhase === 'closing' || this.currentPhase === 'closed') return;
    this.nowMs = this.#clock.monotonicMs();
    this.#isReading = true;
    try {
      this.session.read(bytes, from, to);
    } catch (error) {
      this.#release();
      this.#fail(error);
    }
    this.#isReading = false;
    this.#release();
  }

  seal(bytes: Uint8Array): void {
    try {
      this.session.seal(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  detach(bytes: Uint8Array): void {
    try {
      this.session.detach(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    // One log line per connection: errors that follow within the same read are dropped.
    if (this.isGone || this.#socket.destroyed) return;
    if (error instanceof WireError) {
      this.log.warn({ error_code: error.code, clause: error.clause, byteOffset: error.offset }, error.message);
      if (LIMIT_CODES.has(error.code)) this.#limitReached(error.code);
      this.#end(unreadable(error.message, error.code));
    } else {
      this.log.error({ error }, 'internal error on a connection');
      this.#end(FAILED);
    }
  }

  /** An encoder that publishes, or waits for the answer to its publish, is told why. */
  #end(reason: CloseReason): void {
    try {
      if (this.currentPhase === 'publishing' || this.currentPhase === 'deciding') this.closeWith(reason);
    } catch (error) {
      this.log.error({ error }, 'sending a closing status failed');
    }
    if (!this.isGone) this.destroy(reason.cause);
  }

  onOutput(bytes: Uint8Array): void {
    if (this.isGone) return;
    // The commands of a publish come in one read and have an answer each.
    if (this.#isReading && !this.#isHeld) {
      this.#isHeld = true;
      this.#socket.cork();
    }
    this.#socket.write(bytes);
    // Bounds the memory that a peer that does not read can hold.
    if (this.#socket.writableLength <= CONNECTION_LIMITS.outgoingBytes) return;
    this.#limitReached('unread answers');
    this.destroy('peer does not read');
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.uncork();
  }

  /** A line in the audit log. */
  #limitReached(what: string): void {
    this.options.deps.refusals.add({ action: `limit reached: RTMP, ${what}`, from: this.address });
  }

  // ---------------------------------------------------------------- end

  protected get isGone(): boolean {
    return this.currentPhase === 'closed' || this.currentPhase === 'closing';
  }

  abstract closeWith(reason: CloseReason): void;

  /** Half-close, then destroy after the grace time: OBS ignores the FIN. */
  protected beginClosing(cause: string): void {
    this.cause = cause;
    this.currentPhase = 'closing';
    this.#socket.end();
    this.#destroyAtMs = this.#clock.monotonicMs() + CONNECTION_LIMITS.closeGraceMs;
  }

  /** While it closes. */
  protected tickClosing(nowMs: number): void {
    if (nowMs >= this.#destroyAtMs) this.destroy(this.cause);
  }

  destroy(cause: string): void {
    if (this.currentPhase === 'closed') return;
    this.cause = cause;
    this.#socket.destroy();
  }

  /** The publish session ends with the connection. */
  protected abstract onLost(): void;

  #onClose(): void {
    if (this.currentPhase === 'closed') return;
    this.currentPhase = 'closed';
    if (this.options.place.isLost) this.cause = 'its place went to another connection';
    this.onLost();
    const durationMs = Math.round(this.#clock.monotonicMs() - this.openedMs);
    this.log.info({ cause: this.cause, durationMs, bytesReceived: this.session.bytesReceived }, 'connection closed');
    this.options.onClosed();
  }
}

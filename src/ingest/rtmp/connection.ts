/**
 * One RTMP connection: its socket and session, and its publishes, one after the other. A fault ends only this connection, with
 * a named cause and one log line. There are no timers here; one clock calls `tick` of all connections.
 */
import type { Socket } from 'node:net';
import type { PublishHandler } from '../../broadcasts/broadcast-engine.js';
import {
  type CloseReason,
  DRAINED,
  FAILED,
  IDLE,
  type Interruption,
  unreadable,
} from '../../broadcasts/publisher/close-reasons.js';
import type {
  DisconnectKind,
  EncoderChannel,
  PacketTarget,
  PublishSession,
  RecordNotice,
} from '../../broadcasts/publisher/publisher.js';
import {
  DRAINING,
  INTERNAL_ERROR,
  PREFLIGHT_AFTER_PUBLISH,
  type Refusal,
  type RefusalReason,
  STORE_AWAY,
} from '../../broadcasts/publisher/refusals.js';
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';
import { WireError } from '../../bytes/wire-error.js';
import type { Place } from '../../lib/places.js';
import { addToSpan, inSpan } from '../../lib/spans.js';
import type { MediaMessage } from '../../media/media-message.js';
import {
  type Clock,
  type IdSource,
  type JoinedLog,
  type Log,
  type RefusalLog,
  StoreUnavailableError,
} from '../../ports/index.js';
import { DEFAULT_RTMP_LIMITS } from '../../rtmp/limits.js';
import type { RtmpMessage } from '../../rtmp/messages/message.js';
import {
  type PublishRequest,
  ServerSession,
  type ServerSessionSink,
  type UnpublishReason,
} from '../../rtmp/session/server-session.js';
import { socketKey } from '../sockets/kernel-queues.js';
import type { ReadPace } from '../sockets/read-pace.js';
import { type ByteConsumer, type Reading, readSocket } from '../sockets/socket-reader.js';
import { CONNECTION_LIMITS, LIMIT_CODES } from './limits.js';
import { closeStatus, noticeStatus, refusalCode } from './status.js';

/** Dependencies of the RTMP server besides the broadcasts. */
export interface RtmpSettings {
  readonly maxConnections: number;
  /** A trusted proxy terminates TLS: plain connections count as secure. */
  readonly tlsInFront: boolean;
  /** Trusted proxies must send a PROXY header. */
  readonly proxyProtocol: boolean;
  /** Between two reads of a publish of some age; 0: all are read as they arrive. */
  readonly readIntervalMs: number;
  /** The address is listed in `AIRLOCK_TRUSTED_PROXIES`. */
  isProxy(address: string): boolean;
  /** Exempt from the limit of connections per address, like loopback. */
  isTrustedAddress(address: string): boolean;
}

export interface RtmpDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  /** For lines that anyone who connects can cause. */
  readonly strangers: JoinedLog;
  readonly refusals: RefusalLog;
  /** Pool for payload that taps keep. */
  readonly buffers: PayloadBuffers;
  readonly settings: RtmpSettings;
  randomBytes(size: number): Uint8Array;
  /** Whether the code that runs is that of streams: not while many connections begin at once. */
  optimizeSoon(isSoon: boolean): void;
}

/** Asks publishers to leave this process. */
export interface Drain {
  /** When those that are still there are disconnected. */
  readonly atMs: number;
  readonly close: CloseReason;
}

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
  /** The server's count of refused publishes, by reason. */
  readonly refused: Map<string, number>;
}

type Phase = 'connecting' | 'deciding' | 'publishing' | 'closing' | 'closed';

export class Connection implements ServerSessionSink, EncoderChannel, ByteConsumer {
  readonly address: string;
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #session: ServerSession;
  readonly #reading: Reading;
  /** A stranger's until its key has been found valid. */
  #log: JoinedLog;
  /** Fields of each of its lines. */
  readonly #facts: object;
  #phase: Phase = 'connecting';
  readonly #openedMs: number;
  /** Time of the last bytes. */
  #nowMs: number;
  /** Answers of this read wait in the socket, and leave in one TLS record. */
  #isHeld = false;
  #isReading = false;

  #target: PacketTarget | undefined;
  #published: PublishSession | undefined;
  #hasPublished = false;
  #publishEndedMs = 0;
  /** The publish that the encoder waits for. */
  #requested: PublishRequest | undefined;
  #requestedMs = 0;
  /** Notices raised before the publish is answered: a broadcast that is resumed may have passed a limit already. */
  readonly #early: RecordNotice[] = [];
  /** When it is decided again how the socket is read. */
  #nextPaceMs = 0;
  /** Serializes admission and leaving: a withdrawn publish and the next one may have the same stream key. */
  #turn: Promise<void> = Promise.resolve();

  #drain: Drain | undefined;
  /** Set once this server closes the connection, or has asked the encoder to reconnect. */
  #closedBy: Interruption | undefined;
  #cause = 'closed by the peer';
  #destroyAtMs = 0;

  constructor(options: ConnectionOptions) {
    const { socket, address, secure, deps } = options;
    this.#options = options;
    this.#socket = socket;
    this.#clock = deps.clock;
    this.address = address;
    this.#nowMs = this.#clock.monotonicMs();
    this.#openedMs = this.#nowMs;
    this.#facts = { connection: deps.ids.next(), address, secure };
    this.#log = deps.strangers.child(this.#facts);
    // After a TLS error the socket is unusable, but Node leaves it open.
    socket.on('error', (error: NodeJS.ErrnoException) => this.destroy(error.code ?? error.message));
    socket.on('close', () => this.#closed());
    this.#session = new ServerSession({ limits: DEFAULT_RTMP_LIMITS, randomBytes: deps.randomBytes, sink: this });
    this.#log.info({}, 'connection opened');
    this.#reading = readSocket(socket, this, deps.buffers);
  }

  get phase(): Phase {
    return this.#phase;
  }

  get target(): PacketTarget | undefined {
    return this.#target;
  }

  get bytesReceived(): number {
    return this.#session.bytesReceived;
  }

  get messagesReceived(): number {
    return this.#session.messagesReceived;
  }

  /** By which the kernel's lists name this connection. */
  get socketKey(): string {
    return socketKey(this.#socket.localPort ?? 0, this.#socket.remotePort ?? 0);
  }

  /** Bytes that may wait in the kernel without the server being late. */
  get restingBytes(): number {
    return this.#reading.restingBytes;
  }

  // ---------------------------------------------------------------- bytes

  get keepsPayload(): boolean {
    return this.#target?.keepsPayload ?? false;
  }

  refersTo(bytes: Uint8Array): boolean {
    return this.#session.refersTo(bytes);
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#nowMs = this.#clock.monotonicMs();
    this.#isReading = true;
    try {
      this.#session.read(bytes, from, to);
    } catch (error) {
      this.#release();
      this.#fail(error);
    }
    this.#isReading = false;
    this.#release();
  }

  seal(bytes: Uint8Array): void {
    try {
      this.#session.seal(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  detach(bytes: Uint8Array): void {
    try {
      this.#session.detach(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    // One log line per connection: errors that follow within the same read are dropped.
    if (this.#isGone || this.#socket.destroyed) return;
    if (error instanceof WireError) {
      this.#log.warn({ error_code: error.code, clause: error.clause, byteOffset: error.offset }, error.message);
      if (LIMIT_CODES.has(error.code)) this.#limitReached(error.code);
      this.#end(unreadable(error.message, error.code));
    } else {
      this.#log.error({ error }, 'internal error on a connection');
      this.#end(FAILED);
    }
  }

  /** An encoder that publishes, or waits for the answer to its publish, is told why. */
  #end(reason: CloseReason): void {
    try {
      if (this.#phase === 'publishing' || this.#phase === 'deciding') this.closeWith(reason);
    } catch (error) {
      this.#log.error({ error }, 'sending a closing status failed');
    }
    if (!this.#isGone) this.destroy(reason.cause);
  }

  send(bytes: Uint8Array): void {
    if (this.#isGone) return;
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
    this.#options.deps.refusals.add({ action: `limit reached: RTMP, ${what}`, from: this.address });
  }

  // ---------------------------------------------------------------- session events

  publish(request: PublishRequest): void {
    this.#phase = 'deciding';
    this.#options.place.become('busy');
    this.#requested = request;
    this.#requestedMs = this.#nowMs;
    const decide = () => inSpan('publish', {}, () => this.#decide(request));
    this.#turn = this.#turn.then(decide).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) this.#log.error({ error }, 'admitting a publish failed');
      this.#refuse(request, error instanceof StoreUnavailableError ? STORE_AWAY : INTERNAL_ERROR);
    });
  }

  takeVideo(message: RtmpMessage): void {
    this.#target?.video(this.#media(message));
  }

  retainHeaders(payload: RtmpMessage['payload'], partial: PartialFrame): boolean {
    return this.#target?.retainHeaders(payload, partial) ?? false;
  }

  takeAudio(message: RtmpMessage): void {
    this.#target?.audio(this.#media(message));
  }

  takeData(name: string, values: readonly unknown[], message: RtmpMessage): void {
    if (name === 'onMetaData') this.#target?.metadata(values[0], this.#media(message));
    else this.#target?.data(name, values, this.#media(message));
  }

  /** Reuses one object, so that a packet touches no other. */
  #media(message: RtmpMessage): MediaMessage {
    message.atMs = this.#nowMs;
    return message;
  }

  unpublish(reason: UnpublishReason): void {
    if (this.#isGone) return;
    this.#phase = 'connecting';
    this.#options.place.become('idle');
    this.#early.length = 0;
    this.#requested = undefined;
    this.#cause = reason;
    this.#leave('unpublished');
  }

  // ---------------------------------------------------------------- publish

  async #decide(request: PublishRequest): Promise<void> {
    const { desk, secure } = this.#options;
    // A process that is replaced takes the publish of a connection that it has: a refusal would make encoders give up.
    if (this.#drain?.close === DRAINED) {
      this.#refuse(request, DRAINING);
      return;
    }
    const passed = this.#passed();
    const from = { address: this.address, encoder: request.flashVer, passed };
    const verdict = await desk.admit(request.name, request.app, from, () => this.#requested === request);
    if (!verdict.accepted) {
      this.#refuse(request, verdict);
      return;
    }
    if (this.#isGone) {
      await desk.release(verdict);
      return;
    }
    const { live, preflight } = verdict;
    this.#log = this.#log.about(live.id);
    if (preflight && this.#hasPublished) {
      await desk.release(verdict);
      this.#refuse(request, PREFLIGHT_AFTER_PUBLISH);
      return;
    }
    const log = this.#options.deps.log.child(preflight ? this.#facts : { ...this.#facts, liveVideoId: live.id });
    this.#published = await desk.start(verdict, this, { secure, clientName: request.flashVer, passed }, log);
    this.#target = this.#published.target;
    // Disconnected or unpublished while the admission was pending.
    if (this.#isGone || !this.#session.acceptPublish(request.requestId)) {
      this.#leave(this.#isGone ? 'lost' : 'unpublished');
      return;
    }
    this.#phase = 'publishing';
    this.#nextPaceMs = this.#nowMs + CONNECTION_LIMITS.steadyMs;
    addToSpan({ 'airlock.live_video.id': live.id, 'airlock.preflight': preflight, 'airlock.publish.accepted': true });
    for (const notice of this.#early.splice(0)) this.notify(notice);
    if (!preflight) {
      this.#hasPublished = true;
      this.#options.place.become('settled');
    }
    this.#log.info({ liveVideoId: live.id, flashVer: request.flashVer, preflight }, 'publish accepted');
    if (this.#drain !== undefined) this.#askToReconnect(this.#drain);
  }

  /** Ids of the deployments that passed the stream on. Bounded: each of them adds one. */
  #passed(): readonly string[] {
    const ids = this.#session.connectInfo?.properties.airlockPassed;
    return typeof ids === 'string' ? ids.split(',', MOST_PASSED).filter((id) => /^[0-9a-f]{32}$/.test(id)) : [];
  }

  #refuse(request: PublishRequest, { reason, description }: Refusal): void {
    const code = refusalCode(reason);
    // Withdrawn while the decision was pending: nothing to refuse.
    if (this.#isGone || !this.#session.rejectPublish(request.requestId, code, description)) return;
    const liveVideoId = idIn(request.name);
    const facts = { 'airlock.live_video.id': liveVideoId, 'airlock.publish.accepted': false };
    addToSpan({ ...facts, 'airlock.publish.refusal': reason });
    if (liveVideoId !== undefined && !UNPROVEN.has(reason)) this.#log = this.#log.about(liveVideoId);
    this.#log.info({ code, reason, liveVideoId }, `publish refused: ${description}`);
    this.#options.refused.set(reason, (this.#options.refused.get(reason) ?? 0) + 1);
    this.#options.place.become('idle');
    this.#beginClosing(`refused: ${reason}`);
  }

  // ---------------------------------------------------------------- to the encoder

  notify(notice: RecordNotice): void {
    if (this.#phase === 'publishing') this.#session.sendStatus(noticeStatus(notice));
    else if (this.#phase === 'deciding' && this.#early.length < CONNECTION_LIMITS.earlyNotices)
      this.#early.push(notice);
  }

  closeWith(reason: CloseReason): void {
    if (this.#isGone) return;
    // So that the end of the other side is seen at once.
    this.#reading.readAsItArrives();
    this.#closedBy = reason.interruption;
    const status = closeStatus(reason);
    if (this.#phase === 'publishing') this.#session.sendStatus(status);
    else if (this.#requested !== undefined)
      this.#session.rejectPublish(this.#requested.requestId, status.code, status.description);
    this.#beginClosing(reason.cause);
  }

  /** An encoder that can is asked to reconnect; each has until `atMs`. */
  drain(drain: Drain): void {
    if (this.#drain !== undefined) return;
    this.#drain = drain;
    if (this.#phase === 'publishing') this.#askToReconnect(drain);
  }

  #askToReconnect({ close }: Drain): void {
    if (this.#session.requestReconnect(close.description)) this.#closedBy = close.interruption;
  }

  // ---------------------------------------------------------------- end

  tick(nowMs: number): void {
    switch (this.#phase) {
      case 'closing':
        if (nowMs >= this.#destroyAtMs) this.destroy(this.#cause);
        break;
      case 'deciding':
        // The wait for the answer is not the encoder's: it does not count as time from connect to publish.
        if (nowMs - this.#requestedMs > CONNECTION_LIMITS.publishAnswerMs && this.#requested !== undefined)
          this.#refuse(this.#requested, STORE_AWAY);
        break;
      case 'connecting':
        if (nowMs - Math.max(this.#openedMs, this.#publishEndedMs) > CONNECTION_LIMITS.connectToPublishMs)
          this.destroy('no publish in time');
        break;
      case 'publishing':
        if (nowMs - this.#nowMs > CONNECTION_LIMITS.idlePublisherMs) this.closeWith(IDLE);
        else if (this.#drain !== undefined && nowMs >= this.#drain.atMs) this.closeWith(this.#drain.close);
        else if (nowMs >= this.#nextPaceMs) this.#choosePace(nowMs);
        break;
      case 'closed':
        break;
    }
  }

  /** A stream whose arrival is being looked into is read as it arrives, so that its times are exact. */
  #choosePace(nowMs: number): void {
    this.#nextPaceMs = nowMs + CONNECTION_LIMITS.paceMs;
    if (this.#target?.arrivesEvenly === true) this.#reading.readAtIntervals(this.#options.pace);
    else this.#reading.readAsItArrives();
  }

  get #isGone(): boolean {
    return this.#phase === 'closed' || this.#phase === 'closing';
  }

  /** Half-close, then destroy after the grace time: OBS ignores the FIN. */
  #beginClosing(cause: string): void {
    this.#cause = cause;
    this.#phase = 'closing';
    this.#socket.end();
    this.#destroyAtMs = this.#clock.monotonicMs() + CONNECTION_LIMITS.closeGraceMs;
  }

  destroy(cause: string): void {
    if (this.#phase === 'closed') return;
    // The reason that the encoder was given stays the cause, also where it answers with a reset.
    if (this.#phase !== 'closing') this.#cause = cause;
    this.#socket.destroy();
  }

  #closed(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    if (this.#options.place.isLost) this.#cause = 'its place went to another connection';
    this.#requested = undefined;
    this.#leave('lost');
    const durationMs = Math.round(this.#clock.monotonicMs() - this.#openedMs);
    this.#log.info({ cause: this.#cause, durationMs, bytesReceived: this.#session.bytesReceived }, 'connection closed');
  }

  #leave(how: DisconnectKind): void {
    // The next publish of this connection begins as the first one did.
    this.#reading.readAsItArrives();
    const published = this.#published;
    if (published === undefined) return;
    this.#target = undefined;
    this.#published = undefined;
    this.#publishEndedMs = this.#nowMs;
    const left = published.leave(how, this.#closedBy).catch((error: unknown) => {
      this.#log.error({ error }, 'writing the end of a publish session failed');
    });
    this.#turn = this.#turn.then(() => left);
  }
}

/** A longer way from deployment to deployment is none that anyone means. */
const MOST_PASSED = 16;

/** Refusals that say nothing about the key. */
const UNPROVEN: ReadonlySet<RefusalReason> = new Set([
  'unknown-key',
  'too-many-wrong-keys',
  'store-away',
  'draining',
  'internal-error',
]);

/** The id in a refused publish name, the only part that is logged: users paste tokens and passwords into that field. */
function idIn(name: string): string | undefined {
  return /^(\d{1,19})-/.exec(name)?.[1];
}

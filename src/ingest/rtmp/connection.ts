/**
 * One RTMP connection: socket, session, publish session. A fault ends only this connection, with a named cause and one
 * log line. There are no timers here; one clock calls `tick` of all connections.
 */
import type { Socket } from 'node:net';
import type { PublishHandler } from '../../broadcasts/broadcast-engine.js';
import { type CloseReason, DRAINED } from '../../broadcasts/close-reasons.js';
import type {
  DisconnectKind,
  EncoderChannel,
  PacketTarget,
  PublishSession,
  RecordNotice,
} from '../../broadcasts/publisher.js';
import {
  DRAINING,
  INTERNAL_ERROR,
  PREFLIGHT_AFTER_PUBLISH,
  type Refusal,
  STORE_AWAY,
} from '../../broadcasts/refusals.js';
import type { PartialFrame } from '../../bytes/partial-frame.js';
import { WireError } from '../../bytes/wire-error.js';
import { addToSpan, inSpan } from '../../lib/spans.js';
import { type MediaMessage, newMediaMessage } from '../../media/media-message.js';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import { DEFAULT_RTMP_LIMITS } from '../../rtmp/limits.js';
import type { RtmpMessage } from '../../rtmp/messages/message.js';
import {
  type PublishRequest,
  ServerSession,
  type ServerSessionSink,
  type UnpublishReason,
} from '../../rtmp/session/server-session.js';
import type { RtmpDeps } from './deps.js';
import { CONNECTION_LIMITS, LIMIT_CODES } from './limits.js';
import { socketKey } from './receive-queues.js';
import { type ByteConsumer, readSocket } from './socket-reader.js';
import { closeStatus, noticeStatus, refusalCode } from './status.js';

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly address: string;
  /** The connection is over TLS, terminated here or by a trusted proxy. */
  readonly secure: boolean;
  readonly deps: RtmpDeps;
  readonly desk: PublishHandler;
  /** Called once, when the first publish is accepted. A preflight does not count as a publish. */
  readonly onPublishing: () => void;
  readonly onRefusedPublish: (reason: string) => void;
  readonly onClosed: () => void;
}

/** Publishers are to leave this process. */
export interface Drain {
  /** When those that are still there are disconnected. */
  readonly atMs: number;
  readonly close: CloseReason;
}

type Phase = 'connecting' | 'deciding' | 'publishing' | 'closing' | 'closed';

export class Connection implements ServerSessionSink, EncoderChannel, ByteConsumer {
  readonly address: string;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #session: ServerSession;
  readonly #log: Log;
  readonly #openedMs: number;
  #phase: Phase = 'connecting';
  /** Of the time before the answer to the publish: a broadcast that is resumed may have passed a limit already. */
  readonly #early: RecordNotice[] = [];
  #nowMs: number;
  #lastDataMs: number;
  #destroyAtMs = 0;
  #hasPublished = false;
  #publishEndedMs = 0;
  /** The publish that the encoder waits for. */
  #requested: PublishRequest | undefined;
  #requestedMs = 0;
  #target: PacketTarget | undefined;
  /** Reused for each packet. */
  readonly #mediaMessage = newMediaMessage();
  #published: PublishSession | undefined;
  #flashVer = '';
  #cause = 'closed by the peer';
  #drain: Drain | undefined;
  /** Serializes admission and leaving: a withdrawn publish and the next one may have the same stream key. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.address = options.address;
    this.#nowMs = options.deps.clock.monotonicMs();
    this.#openedMs = this.#nowMs;
    this.#lastDataMs = this.#nowMs;
    this.#log = options.deps.log.child({
      connection: options.deps.ids.next(),
      address: options.address,
      secure: options.secure,
    });
    this.#session = new ServerSession({
      limits: DEFAULT_RTMP_LIMITS,
      randomBytes: options.deps.randomBytes,
      sink: this,
    });
    this.#socket.setNoDelay(true);
    // After a TLS error the socket is unusable, but Node leaves it open.
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.destroy(error.code ?? error.message));
    this.#socket.on('close', () => this.#onClose());
    this.#log.info({}, 'connection opened');
    readSocket(this.#socket, this, options.deps.buffers);
  }

  get phase(): Phase {
    return this.#phase;
  }

  get bytesReceived(): number {
    return this.#session.bytesReceived;
  }

  get messagesReceived(): number {
    return this.#session.messagesReceived;
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
    this.#nowMs = this.#options.deps.clock.monotonicMs();
    this.#lastDataMs = this.#nowMs;
    try {
      this.#session.read(bytes, from, to);
    } catch (error) {
      this.#fail(error);
    }
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
    if (this.#gone || this.#socket.destroyed) return;
    if (error instanceof WireError) {
      this.#log.warn({ error_code: error.code, clause: error.clause, byteOffset: error.offset }, error.message);
      if (LIMIT_CODES.has(error.code)) this.#limitReached(error.code);
      this.destroy(error.code);
    } else {
      this.#log.error({ error }, 'internal error on a connection');
      this.destroy('internal-error');
    }
  }

  onOutput(bytes: Uint8Array): void {
    if (this.#gone) return;
    this.#socket.write(bytes);
    // Bounds the memory that a peer that does not read can hold.
    if (this.#socket.writableLength <= CONNECTION_LIMITS.outgoingBytes) return;
    this.#limitReached('unread answers');
    this.destroy('peer does not read');
  }

  /** A line in the audit log. */
  #limitReached(what: string): void {
    this.#options.deps.refusals.add({ action: `limit reached: RTMP, ${what}`, from: this.address });
  }

  // ---------------------------------------------------------------- session events

  onConnect(info: { readonly flashVer: string }): void {
    this.#flashVer = info.flashVer;
  }

  onPublish(request: PublishRequest): void {
    this.#phase = 'deciding';
    this.#requested = request;
    this.#requestedMs = this.#nowMs;
    const decide = () => inSpan('publish', {}, () => this.#decide(request));
    this.#turn = this.#turn.then(decide).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) this.#log.error({ error }, 'admitting a publish failed');
      this.#refuse(request, error instanceof StoreUnavailableError ? STORE_AWAY : INTERNAL_ERROR);
    });
  }

  onVideo(message: RtmpMessage): void {
    this.#target?.video(this.#media(message));
  }

  retainHeaders(payload: RtmpMessage['payload'], partial: PartialFrame): boolean {
    return this.#target?.retainHeaders(payload, partial) ?? false;
  }

  onAudio(message: RtmpMessage): void {
    this.#target?.audio(this.#media(message));
  }

  onData(name: string, values: readonly unknown[], message: RtmpMessage): void {
    if (name === 'onMetaData') this.#target?.metadata(values[0], this.#media(message));
    else this.#target?.data(name, values, this.#media(message));
  }

  /** By which the kernel's lists name this connection. */
  get socketKey(): string {
    return socketKey(this.#socket.localPort ?? 0, this.#socket.remotePort ?? 0);
  }

  get target(): PacketTarget | undefined {
    return this.#target;
  }

  #media(from: RtmpMessage): MediaMessage {
    const media = this.#mediaMessage;
    media.payload = from.payload;
    media.timestampMs = from.timestampMs;
    media.messageNumber = from.messageNumber;
    media.byteOffset = from.byteOffset;
    media.atMs = this.#nowMs;
    return media;
  }

  onUnpublish(reason: UnpublishReason): void {
    if (this.#gone) return;
    this.#phase = 'connecting';
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
    const from = { address: this.address, encoder: this.#flashVer };
    const verdict = await desk.admit(request.name, request.app, from, () => this.#requested === request);
    if (!verdict.accepted) {
      this.#refuse(request, verdict);
      return;
    }
    if (this.#gone) {
      await desk.release(verdict);
      return;
    }
    const { live, preflight } = verdict;
    if (preflight && this.#hasPublished) {
      // The connection no longer counts against the limit of its address.
      await desk.release(verdict);
      this.#refuse(request, PREFLIGHT_AFTER_PUBLISH);
      return;
    }
    const log = preflight ? this.#log : this.#log.child({ liveVideoId: live.id });
    this.#published = await desk.start(verdict, this, { secure, clientName: this.#flashVer }, log);
    this.#target = this.#published.target;
    // Disconnected or unpublished while the admission was pending.
    if (this.#gone || !this.#session.acceptPublish(request.requestId)) {
      this.#leave(this.#gone ? 'lost' : 'unpublished');
      return;
    }
    this.#phase = 'publishing';
    addToSpan({ 'airlock.live_video.id': live.id, 'airlock.preflight': preflight, 'airlock.publish.accepted': true });
    for (const notice of this.#early.splice(0)) this.notify(notice);
    if (!preflight && !this.#hasPublished) {
      this.#hasPublished = true;
      this.#options.onPublishing();
    }
    this.#log.info({ liveVideoId: live.id, flashVer: this.#flashVer, preflight }, 'publish accepted');
    if (this.#drain !== undefined) this.#session.requestReconnect(this.#drain.close.description);
  }

  get #gone(): boolean {
    return this.#phase === 'closed' || this.#phase === 'closing';
  }

  #refuse(request: PublishRequest, { reason, description }: Refusal): void {
    const code = refusalCode(reason);
    // Withdrawn while the decision was pending: nothing to refuse.
    if (this.#gone || !this.#session.rejectPublish(request.requestId, code, description)) return;
    const liveVideoId = idIn(request.name);
    const facts = { 'airlock.live_video.id': liveVideoId, 'airlock.publish.accepted': false };
    addToSpan({ ...facts, 'airlock.publish.refusal': reason });
    this.#log.info({ code, reason, liveVideoId }, `publish refused: ${description}`);
    this.#options.onRefusedPublish(reason);
    this.#beginClosing(`refused: ${reason}`);
  }

  // ---------------------------------------------------------------- to the encoder

  notify(notice: RecordNotice): void {
    if (this.#phase === 'publishing') this.#session.sendStatus(noticeStatus(notice));
    else if (this.#phase === 'deciding' && this.#early.length < CONNECTION_LIMITS.earlyNotices)
      this.#early.push(notice);
  }

  closeWith(reason: CloseReason): void {
    if (this.#gone) return;
    if (this.#phase === 'publishing') this.#session.sendStatus(closeStatus(reason));
    this.#beginClosing(reason.cause);
  }

  /** An encoder that can is asked to reconnect; each has until `atMs`. */
  drain(drain: Drain): void {
    if (this.#drain !== undefined) return;
    this.#drain = drain;
    if (this.#phase === 'publishing') this.#session.requestReconnect(drain.close.description);
  }

  /** Half-close, then destroy after the grace time: OBS ignores the FIN. */
  #beginClosing(cause: string): void {
    this.#cause = cause;
    this.#phase = 'closing';
    this.#socket.end();
    this.#destroyAtMs = this.#options.deps.clock.monotonicMs() + CONNECTION_LIMITS.closeGraceMs;
  }

  // ---------------------------------------------------------------- end

  tick(nowMs: number): void {
    switch (this.#phase) {
      case 'closing':
        if (nowMs >= this.#destroyAtMs) this.destroy(this.#cause);
        break;
      case 'deciding':
        // The wait for the answer is not the encoder's: it does not count as time from connect to publish.
        if (nowMs - this.#requestedMs > CONNECTION_LIMITS.publishAnswerMs) this.destroy('publish not decided in time');
        break;
      case 'connecting':
        if (nowMs - Math.max(this.#openedMs, this.#publishEndedMs) > CONNECTION_LIMITS.connectToPublishMs)
          this.destroy('no publish in time');
        break;
      case 'publishing':
        if (nowMs - this.#lastDataMs > CONNECTION_LIMITS.idlePublisherMs) this.destroy('idle');
        else if (this.#drain !== undefined && nowMs >= this.#drain.atMs) this.closeWith(this.#drain.close);
        break;
      case 'closed':
        break;
    }
  }

  destroy(cause: string): void {
    if (this.#phase === 'closed') return;
    this.#cause = cause;
    this.#socket.destroy();
  }

  #leave(how: DisconnectKind): void {
    const published = this.#published;
    if (published === undefined) return;
    this.#target = undefined;
    this.#published = undefined;
    this.#publishEndedMs = this.#nowMs;
    const left = published.leave(how).catch((error: unknown) => {
      this.#log.error({ error }, 'writing the end of a publish session failed');
    });
    this.#turn = this.#turn.then(() => left);
  }

  #onClose(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#requested = undefined;
    this.#leave('lost');
    const durationMs = Math.round(this.#options.deps.clock.monotonicMs() - this.#openedMs);
    this.#log.info({ cause: this.#cause, durationMs, bytesReceived: this.#session.bytesReceived }, 'connection closed');
    this.#options.onClosed();
  }
}

/** The id in a refused publish name, the only part that is logged: users paste tokens and passwords into that field. */
function idIn(name: string): string | undefined {
  return /^(\d{1,19})-/.exec(name)?.[1];
}

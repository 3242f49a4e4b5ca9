/**
 * One RTMP connection and its publish sessions, one after the other. There are no timers here; one clock calls `tick` of all
 * connections.
 */
import { type CloseReason, DRAINED, IDLE, type Interruption } from '../../broadcasts/publisher/close-reasons.js';
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
import { addToSpan, inSpan } from '../../lib/spans.js';
import type { MediaMessage } from '../../media/media-message.js';
import { StoreUnavailableError } from '../../ports/index.js';
import { DEFAULT_RTMP_LIMITS } from '../../rtmp/limits.js';
import type { RtmpMessage } from '../../rtmp/messages/message.js';
import {
  type PublishRequest,
  ServerSession,
  type ServerSessionSink,
  type UnpublishReason,
} from '../../rtmp/session/server-session.js';
import { type ByteConsumer, type Reading, readSocket } from '../sockets/socket-reader.js';
import { CONNECTION_LIMITS } from './limits.js';
import { type ConnectionOptions, SessionSocket } from './session-socket.js';
import { closeStatus, noticeStatus, refusalCode } from './status.js';

/** Publishers are to leave this process. */
export interface Drain {
  /** When those that are still there are disconnected. */
  readonly atMs: number;
  readonly close: CloseReason;
}

export class Connection extends SessionSocket implements ServerSessionSink, EncoderChannel, ByteConsumer {
  protected readonly session: ServerSession;
  /** Of the time before the answer to the publish: a broadcast that is resumed may have passed a limit already. */
  readonly #early: RecordNotice[] = [];
  #hasPublished = false;
  #publishEndedMs = 0;
  /** The publish that the encoder waits for. */
  #requested: PublishRequest | undefined;
  #requestedMs = 0;
  #target: PacketTarget | undefined;
  #published: PublishSession | undefined;
  #flashVer = '';
  #drain: Drain | undefined;
  /** Set once this server closes the connection, or has asked the encoder to reconnect. */
  #closedBy: Interruption | undefined;
  readonly #reading: Reading;
  /** When it is decided again how the socket is read. */
  #nextPaceMs = 0;
  /** Serializes admission and leaving: a withdrawn publish and the next one may have the same stream key. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ConnectionOptions) {
    super(options);
    const { socket, deps } = options;
    this.session = new ServerSession({ limits: DEFAULT_RTMP_LIMITS, randomBytes: deps.randomBytes, sink: this });
    this.log.info({}, 'connection opened');
    this.#reading = readSocket(socket, this, deps.buffers);
  }

  get keepsPayload(): boolean {
    return this.#target?.keepsPayload ?? false;
  }

  // ---------------------------------------------------------------- session events

  onConnect(info: { readonly flashVer: string }): void {
    this.#flashVer = info.flashVer;
  }

  onPublish(request: PublishRequest): void {
    this.currentPhase = 'deciding';
    this.options.place.become('busy');
    this.#requested = request;
    this.#requestedMs = this.nowMs;
    const decide = () => inSpan('publish', {}, () => this.#decide(request));
    this.#turn = this.#turn.then(decide).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) this.log.error({ error }, 'admitting a publish failed');
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

  get target(): PacketTarget | undefined {
    return this.#target;
  }

  /** The same object, so that a packet touches no other. */
  #media(message: RtmpMessage): MediaMessage {
    message.atMs = this.nowMs;
    return message;
  }

  onUnpublish(reason: UnpublishReason): void {
    if (this.isGone) return;
    this.currentPhase = 'connecting';
    this.options.place.become('idle');
    this.#early.length = 0;
    this.#requested = undefined;
    this.cause = reason;
    this.#leave('unpublished');
  }

  // ---------------------------------------------------------------- publish

  async #decide(request: PublishRequest): Promise<void> {
    const { desk, secure } = this.options;
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
    if (this.isGone) {
      await desk.release(verdict);
      return;
    }
    const { live, preflight } = verdict;
    this.log = this.log.about(live.id);
    if (preflight && this.#hasPublished) {
      await desk.release(verdict);
      this.#refuse(request, PREFLIGHT_AFTER_PUBLISH);
      return;
    }
    const log = this.options.deps.log.child(preflight ? this.facts : { ...this.facts, liveVideoId: live.id });
    this.#published = await desk.start(verdict, this, { secure, clientName: this.#flashVer }, log);
    this.#target = this.#published.target;
    // Disconnected or unpublished while the admission was pending.
    if (this.isGone || !this.session.acceptPublish(request.requestId)) {
      this.#leave(this.isGone ? 'lost' : 'unpublished');
      return;
    }
    this.currentPhase = 'publishing';
    this.#nextPaceMs = this.nowMs + CONNECTION_LIMITS.steadyMs;
    addToSpan({ 'airlock.live_video.id': live.id, 'airlock.preflight': preflight, 'airlock.publish.accepted': true });
    for (const notice of this.#early.splice(0)) this.notify(notice);
    if (!preflight) {
      this.#hasPublished = true;
      this.options.place.become('settled');
    }
    this.log.info({ liveVideoId: live.id, flashVer: this.#flashVer, preflight }, 'publish accepted');
    if (this.#drain !== undefined) this.#askToReconnect(this.#drain);
  }

  #refuse(request: PublishRequest, { reason, description }: Refusal): void {
    const code = refusalCode(reason);
    // Withdrawn while the decision was pending: nothing to refuse.
    if (this.isGone || !this.session.rejectPublish(request.requestId, code, description)) return;
    const liveVideoId = idIn(request.name);
    const facts = { 'airlock.live_video.id': liveVideoId, 'airlock.publish.accepted': false };
    addToSpan({ ...facts, 'airlock.publish.refusal': reason });
    if (liveVideoId !== undefined && !UNPROVEN.has(reason)) this.log = this.log.about(liveVideoId);
    this.log.info({ code, reason, liveVideoId }, `publish refused: ${description}`);
    this.options.onRefusedPublish(reason);
    this.options.place.become('idle');
    this.beginClosing(`refused: ${reason}`);
  }

  // ---------------------------------------------------------------- to the encoder

  notify(notice: RecordNotice): void {
    if (this.currentPhase === 'publishing') this.session.sendStatus(noticeStatus(notice));
    else if (this.currentPhase === 'deciding' && this.#early.length < CONNECTION_LIMITS.earlyNotices)
      this.#early.push(notice);
  }

  override closeWith(reason: CloseReason): void {
    if (this.isGone) return;
    // So that the end of the other side is seen at once.
    this.#reading.readAsItArrives();
    this.#closedBy = reason.interruption;
    const status = closeStatus(reason);
    if (this.currentPhase === 'publishing') this.session.sendStatus(status);
    else if (this.#requested !== undefined)
      this.session.rejectPublish(this.#requested.requestId, status.code, status.description);
    this.beginClosing(reason.cause);
  }

  /** An encoder that can is asked to reconnect; each has until `atMs`. */
  drain(drain: Drain): void {
    if (this.#drain !== undefined) return;
    this.#drain = drain;
    if (this.currentPhase === 'publishing') this.#askToReconnect(drain);
  }

  #askToReconnect({ close }: Drain): void {
    if (this.session.requestReconnect(close.description)) this.#closedBy = close.interruption;
  }

  // ---------------------------------------------------------------- end

  tick(nowMs: number): void {
    switch (this.currentPhase) {
      case 'closing':
        this.tickClosing(nowMs);
        break;
      case 'deciding':
        // The wait for the answer is not the encoder's: it does not count as time from connect to publish.
        if (nowMs - this.#requestedMs > CONNECTION_LIMITS.publishAnswerMs && this.#requested !== undefined)
          this.#refuse(this.#requested, STORE_AWAY);
        break;
      case 'connecting':
        if (nowMs - Math.max(this.openedMs, this.#publishEndedMs) > CONNECTION_LIMITS.connectToPublishMs)
          this.destroy('no publish in time');
        break;
      case 'publishing':
        if (nowMs - this.nowMs > CONNECTION_LIMITS.idlePublisherMs) this.closeWith(IDLE);
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
    if (this.#target?.arrivesEvenly === true) this.#reading.readAtIntervals(this.options.pace);
    else this.#reading.readAsItArrives();
  }

  /** Bytes that may wait in the kernel without the server being late. */
  get restingBytes(): number {
    return this.#reading.restingBytes;
  }

  protected override onLost(): void {
    this.#requested = undefined;
    this.#leave('lost');
  }

  #leave(how: DisconnectKind): void {
    // The next publish of this connection begins as the first one did.
    this.#reading.readAsItArrives();
    const published = this.#published;
    if (published === undefined) return;
    this.#target = undefined;
    this.#published = undefined;
    this.#publishEndedMs = this.nowMs;
    const left = published.leave(how, this.#closedBy).catch((error: unknown) => {
      this.log.error({ error }, 'writing the end of a publish session failed');
    });
    this.#turn = this.#turn.then(() => left);
  }
}

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

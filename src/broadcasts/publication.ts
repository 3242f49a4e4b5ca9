/**
 * One publish session: packets go to the judge and the taps, error records to journal and encoder, lifecycle transitions
 * to the store. `publication-phase.ts` defines how a session ends. The packet path creates no promise and no object.
 */
import type { EndReason } from '../broadcast/documents.js';
import type { EncoderSetup } from '../broadcast/encoder-setup.js';
import type { Now, StreamJudge } from '../broadcast/judge.js';
import type { LifecycleEffect } from '../broadcast/lifecycle.js';
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { MediaMessage } from '../media/media-message.js';
import type { JournalEntry, Lease, Log, MediaTap, StreamHealth } from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
import { broadcastOver, LEASE_LOST, RETUNED, TAKEN_OVER } from './close-reasons.js';
import type { BroadcastDeps } from './deps.js';
import type { HeldBacklog } from './held-backlog.js';
import { LeasedBroadcast } from './leased-broadcast.js';
import { BROADCAST_LIMITS } from './limits.js';
import { type PictureSubject, PictureTap } from './picture-tap.js';
import type { Presence } from './presence.js';
import { isActive, PUBLICATION_TABLE, type PublicationEvent, type PublicationPhase } from './publication-phase.js';
import { PublicationRecords } from './publication-records.js';
import type { DisconnectKind, EncoderChannel, PacketTarget, SocketFacts } from './publisher.js';
import type { LiveVideo, StateWriter } from './state-writer.js';
import { Taps } from './taps.js';

export interface PublicationOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly judge: StreamJudge;
  /** The owner has storage left for a recording. */
  readonly hasStorage: boolean;
  /** Of a publish that was held. */
  readonly backlog?: HeldBacklog | undefined;
  readonly channel: EncoderChannel;
  readonly deps: BroadcastDeps;
  readonly states: StateWriter;
  readonly presence: Pick<Presence, 'isStalled'>;
  readonly log: Log;
}

export class Publication implements PacketTarget {
  readonly liveVideoId: string;
  /** Valid data has arrived: a preview can be published, a waiting broadcast goes LIVE. */
  dataFlows = false;
  /** Monotonic time of the last packet, for take-over. */
  lastDataMs: number;
  #phase: PublicationPhase = 'receiving';
  /** Why the judge ended the broadcast, if it did. */
  #verdict: EndReason | undefined;
  /** The last packet of an encoder that disconnected: silence and grace period are no part of the broadcast. */
  #leftAt: Now | undefined;
  /** The broadcast is LIVE, possibly before the store has the transition. */
  #isLive: boolean;
  readonly #deps: BroadcastDeps;
  readonly #judge: StreamJudge;
  readonly #channel: EncoderChannel;
  readonly #broadcast: LeasedBroadcast;
  readonly #records: PublicationRecords;
  readonly #taps: Taps;
  readonly #hasStorage: boolean;
  readonly #presence: PublicationOptions['presence'];
  readonly #log: Log;
  /** The process stood still, and may have lost the lease meanwhile. Resolves when that is known. */
  #verifying: Promise<void> | undefined;
  #verifiedMs = 0;
  #backlog: HeldBacklog | undefined;
  /** Until the next tick. */
  #lateMs = 0;
  #socket: SocketFacts | undefined;
  #pauses = 0;

  constructor({ live, lease, judge, hasStorage, backlog, channel, deps, states, presence, log }: PublicationOptions) {
    const liveVideoId = live.id;
    this.liveVideoId = liveVideoId;
    this.lastDataMs = deps.clock.monotonicMs();
    this.#isLive = live.data.status === 'LIVE';
    this.#deps = deps;
    this.#hasStorage = hasStorage;
    this.#backlog = backlog;
    this.#judge = judge;
    this.#channel = channel;
    this.#presence = presence;
    this.#log = log;
    const { errors } = deps;
    const mayWrite = () => this.#mayWrite();
    this.#records = new PublicationRecords({ liveVideoId, fence: lease.fence, judge, errors, channel, log, mayWrite });
    this.#broadcast = new LeasedBroadcast({
      live,
      lease,
      deps,
      states,
      log,
      source: { resume: () => judge.resume(), health: () => this.health() },
      onEffect: (effect) => this.#applyEffect(effect),
      onRefused: () => this.end(this.#verdict),
      onSuperseded: () => this.#loseKey(),
    });
    this.#taps = new Taps(deps.buffers);
    this.#taps.open(deps.taps, liveVideoId, 'publish', hasStorage);
    if (this.#isLive) this.#taps.open(deps.taps, liveVideoId, 'live', hasStorage);
    if (deps.pictures !== undefined) this.#taps.attach(new PictureTap(this.#pictures(), deps.pictures));
  }

  /** Resolves when the store lists the broadcast as connected. */
  begin(setup?: EncoderSetup): Promise<void> {
    return this.#broadcast.begin(setup);
  }

  // ---------------------------------------------------------------- packets

  /** Before LIVE, the next packet may be the first one of a recording. */
  get keepsPayload(): boolean {
    return this.#taps.keepPayload || (!this.#isLive && this.#deps.settings.record);
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return !this.keepsPayload && this.#backlog === undefined && this.#judge.retainHeaders(payload, partial);
  }

  video(message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    if (this.#backlog === undefined || !this.#isHeldBack('video', message)) this.#judge.video(message);
    // Before the taps: the packet that makes it LIVE, usually the first key frame, is the first one recorded.
    if (!this.dataFlows && this.#judge.valid) this.#onValidData(message.atMs);
    this.#taps.packet('video', message.timestampMs, message.payload);
    this.#afterPacket(message.atMs);
  }

  audio(message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    if (this.#backlog === undefined || !this.#isHeldBack('audio', message)) this.#judge.audio(message);
    if (!this.dataFlows && this.#judge.valid) this.#onValidData(message.atMs);
    this.#taps.packet('audio', message.timestampMs, message.payload);
    this.#afterPacket(message.atMs);
  }

  metadata(value: unknown, message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    if (this.#backlog === undefined) this.#judge.metadata(value, message.atMs);
    else this.#backlog.metadata(value);
    this.#taps.packet('data', message.timestampMs, message.payload);
    this.#afterPacket(message.atMs);
  }

  data(name: string, values: readonly unknown[], { timestampMs, atMs }: MediaMessage): void {
    if (this.#phase !== 'receiving' || this.#backlog !== undefined) return;
    this.#judge.data(name, values, timestampMs, atMs);
    this.#afterJudging();
  }

  /** Not to be judged. */
  #isHeldBack(kind: 'audio' | 'video', message: MediaMessage): boolean {
    if (this.#backlog?.holds(kind, message) === true) return true;
    this.#backlog = undefined;
    return false;
  }

  #afterPacket(atMs: number): void {
    if (atMs - this.lastDataMs > BROADCAST_LIMITS.pauseMs) this.#pauses++;
    this.lastDataMs = atMs;
    this.#afterJudging();
  }

  #afterJudging(): void {
    if (this.#judge.changed) this.#records.take();
    if (this.#judge.ended !== undefined) this.#stop(this.#judge.ended);
  }

  takeSocket(socket: SocketFacts): void {
    this.#socket = socket;
  }

  takeInterruptions(): boolean {
    const isInterrupted = this.#pauses >= BROADCAST_LIMITS.pauses;
    this.#pauses = 0;
    return isInterrupted;
  }

  // ---------------------------------------------------------------- time

  /** `lateMs`: how much later than due the tick runs. */
  tick(wallMs: number, atMs: number, lateMs: number): void {
    if (!isActive(this.#phase)) return;
    // The tick after a stall is skipped while the lease is verified; its delay counts with the next one.
    if (lateMs > this.#lateMs) this.#lateMs = lateMs;
    if (this.#verifying !== undefined) return;
    if (this.#backlog?.isOpen(atMs) === false) {
      this.#backlog.expire(atMs);
      this.#backlog = undefined;
    }
    if (this.#backlog === undefined) this.#judge.tick({ wallMs, atMs, own: { lateMs: this.#lateMs, ...this.#socket } });
    this.#lateMs = 0;
    this.#socket = undefined;
    this.#afterJudging();
    this.#records.flush(atMs);
    this.#broadcast.checkpoints.tick(atMs, this.#isLive);
  }

  health(): StreamHealth {
    const { clock } = this.#deps;
    const silentMs = Math.max(0, Math.round(clock.monotonicMs() - this.lastDataMs));
    return { ...this.#judge.health(), atMs: clock.wallMs(), connected: isActive(this.#phase), silentMs };
  }

  // ---------------------------------------------------------------- the lease

  async renewLease(): Promise<void> {
    if (isActive(this.#phase) && (await this.#broadcast.renew()) === 'lost') this.#loseKey();
  }

  /** The process stood still: no record is written and no state is saved until the lease is known to be held. */
  verifyLease(): void {
    if (!isActive(this.#phase)) return;
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined;
      this.#afterJudging();
    });
  }

  async #verify(): Promise<void> {
    try {
      const isHeld = await this.#broadcast.isHeld();
      this.#verifiedMs = this.#deps.clock.monotonicMs();
      if (!isHeld) this.#loseKey();
    } catch (error) {
      this.#log.error({ error }, 'verifying the lease of a broadcast failed');
    }
  }

  #verifyAfterStall(): void {
    if (this.#presence.isStalled(this.#deps.clock.monotonicMs(), this.#verifiedMs)) this.verifyLease();
  }

  #mayWrite(): boolean {
    this.#verifyAfterStall();
    return this.#verifying === undefined && this.#phase !== 'superseded';
  }

  #loseKey(): void {
    const wasActive = isActive(this.#phase);
    if (!this.#enter('key-lost') || !wasActive) return;
    this.#taps.close();
    this.#channel.closeWith(LEASE_LOST);
  }

  // ---------------------------------------------------------------- records

  /** Notifies the encoder, except of the record that ends the broadcast: `end` sends that one. */
  onJournalled(entry: JournalEntry): void {
    if (!isActive(this.#phase) || this.#verdict?.code === entry.change.body.error_code) return;
    this.#records.notify(entry, this.#deps.clock.monotonicMs());
  }

  /** Raises a record for a fault that the service observed, not a packet. */
  note(code: number, observed: string, match?: MatchDetails): void {
    if (!isActive(this.#phase)) return;
    this.#records.note(code, observed, this.#deps.clock.monotonicMs(), match);
  }

  // ---------------------------------------------------------------- going live

  #onValidData(atMs: number): void {
    this.dataFlows = true;
    // The judge's clock starts with this packet; the write to the store follows asynchronously.
    if (this.#broadcast.goesLiveOnData) this.goLive(atMs);
    this.#broadcast.validData();
    this.#records.notifyLeftOpen(atMs);
  }

  /** LIVE starts now: the first settings and the 8-hour limit count from this packet. */
  goLive(atMs = this.#deps.clock.monotonicMs()): void {
    if (this.#isLive || !isActive(this.#phase)) return;
    this.#isLive = true;
    this.#judge.goLive({ wallMs: this.#deps.clock.wallMs(), atMs });
    this.#taps.open(this.#deps.taps, this.liveVideoId, 'live', this.#hasStorage);
    this.#broadcast.checkpoints.begin(atMs);
  }

  /** LIVE_NOW was requested in another process. Before the first packet there is nothing to do: it takes effect with it. */
  goLiveIfDataFlows(): void {
    if (this.dataFlows) this.#broadcast.validData();
  }

  /** Takes over a state that the HTTP interface or a deadline wrote while the stream runs. */
  adopt(live: LiveVideo): void {
    this.#broadcast.adopt(live);
    if (live.data.status === 'LIVE') this.goLive();
  }

  #applyEffect(effect: LifecycleEffect): void {
    if (effect.effect === 'went-live') this.goLive();
    if (effect.effect === 'close-publisher') this.end(effect.reason);
    if (effect.effect === 'ended') this.#deps.onEnded?.(this.#broadcast.live);
  }

  // ---------------------------------------------------------------- the end

  /** False if the table has no transition for `event`: the event is ignored. */
  #enter(event: PublicationEvent): boolean {
    const next = PUBLICATION_TABLE[this.#phase][event];
    if (next === undefined) return false;
    this.#phase = next;
    return true;
  }

  /** The judge ended the broadcast. `end` closes the session once the store has the transition. */
  #stop({ code, type, text }: EndReason): void {
    if (!this.#enter('judged-over')) return;
    this.#verdict = { code, type, text };
    this.#broadcast.stop(this.#verdict);
  }

  /** The broadcast is over, decided here or elsewhere: closes the records, sends the reason and disconnects the encoder. */
  end(reason: EndReason | undefined): void {
    const wasActive = isActive(this.#phase);
    if (!this.#enter('ended')) return;
    const record = this.#records.close(this.#leftAt ?? this.#endsAt(reason), reason);
    this.#broadcast.keepJudged(this.#judge.judgedCodes());
    if (!wasActive) return;
    this.#taps.close();
    this.#channel.closeWith(broadcastOver(this.liveVideoId, reason, record));
  }

  /** The encoder disconnected. Resolves when the store has the transition and the stream key is free. */
  async disconnected(how: DisconnectKind): Promise<void> {
    this.#verifyAfterStall();
    if (this.#verifying !== undefined) await this.#verifying;
    await this.#leave(how);
  }

  /** As the stored end: an owner's end of a silent stream is where it fell silent, a stop is when it was made. */
  #endsAt(reason: EndReason | undefined): Now {
    const at = this.#now();
    const isSilent = at.atMs - this.lastDataMs >= BROADCAST_LIMITS.takeOverSilenceMs;
    return isSilent && reason === undefined ? this.#lastPacket(at) : at;
  }

  #lastPacket(at: Now): Now {
    return { atMs: this.lastDataMs, wallMs: Math.round(at.wallMs - Math.max(0, at.atMs - this.lastDataMs)) };
  }

  #leave(how: DisconnectKind): Promise<void> {
    const isEnding = this.#phase === 'stopping';
    if (this.#enter('gone')) {
      const at = this.#now();
      const last = this.#lastPacket(at);
      this.#leftAt = last;
      this.#records.interrupt(at, how, this.#isLive);
      this.#taps.close();
      if (!isEnding) this.#broadcast.interrupt(how, { wallMs: at.wallMs, lastMs: last.wallMs });
    }
    return this.#broadcast.release(this.#isLive && this.#phase === 'left');
  }

  #now(): Now {
    const { clock } = this.#deps;
    return { atMs: clock.monotonicMs(), wallMs: clock.wallMs() };
  }

  /** Disconnects a silent publisher, so that a newer one can take over the stream key. */
  yieldToNewer(): void {
    this.#channel.closeWith(TAKEN_OVER);
  }

  /** Disconnects the encoder, so that it asks for its settings again. */
  letGo(): void {
    this.#channel.closeWith(RETUNED);
  }

  // ---------------------------------------------------------------- taps

  /** For the tap that has key frames decoded. */
  #pictures(): PictureSubject {
    const judge = this.#judge;
    return {
      get wantsPicture() {
        return judge.wantsPicture;
      },
      askPicture: () => judge.askPicture(),
      picture: (number, gray) => {
        if (!isActive(this.#phase)) return;
        judge.picture(number, gray);
        this.#afterJudging();
      },
    };
  }

  /** False if the stream is over. */
  attachTap(tap: MediaTap): boolean {
    if (this.#phase !== 'receiving') return false;
    this.#taps.attach(tap);
    return true;
  }

  detachTap(tap: MediaTap): void {
    this.#taps.detach(tap);
  }
}

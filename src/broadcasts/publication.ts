/**
 * One publish session: its packets go to the judge and the taps, what the judge finds to journal and encoder, what it means
 * for the broadcast to the store. How a session ends is in `publication-phase.ts`. The packet path makes no promise and no object.
 */
import type { EndReason } from '../broadcast/documents.js';
import type { Now, StreamJudge } from '../broadcast/judge.js';
import type { LifecycleEffect } from '../broadcast/lifecycle.js';
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { MediaMessage } from '../media/media-message.js';
import type { JournalEntry, Lease, Log, MediaTap, StreamHealth } from '../ports/index.js';
import { broadcastOver, LEASE_LOST, TAKEN_OVER } from './close-reasons.js';
import type { BroadcastDeps } from './deps.js';
import { LeasedBroadcast } from './leased-broadcast.js';
import { isHere, PUBLICATION_TABLE, type PublicationEvent, type PublicationPhase } from './publication-phase.js';
import { PublicationRecords } from './publication-records.js';
import type { DisconnectKind, EncoderChannel, PacketTarget } from './publisher.js';
import type { LiveVideo, StateWriter } from './state-writer.js';
import { Taps } from './taps.js';

export interface PublicationOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly judge: StreamJudge;
  /** For a recording. */
  readonly hasRoom: boolean;
  readonly channel: EncoderChannel;
  readonly deps: BroadcastDeps;
  readonly states: StateWriter;
  readonly log: Log;
}

export class Publication implements PacketTarget {
  readonly liveVideoId: string;
  /** Valid data has arrived: a preview can be published, a waiting broadcast goes LIVE. */
  dataFlows = false;
  /** Monotonic time of the last byte, for take-over. */
  lastDataMs: number;
  #phase: PublicationPhase = 'receiving';
  /** What the judge ended the broadcast for, if it did. */
  #verdict: EndReason | undefined;
  /** The broadcast is LIVE, whether or not the store has it by now. */
  #isLive: boolean;
  readonly #deps: BroadcastDeps;
  readonly #judge: StreamJudge;
  readonly #channel: EncoderChannel;
  readonly #broadcast: LeasedBroadcast;
  readonly #records: PublicationRecords;
  readonly #taps: Taps;
  readonly #hasRoom: boolean;

  constructor({ live, lease, judge, hasRoom, channel, deps, states, log }: PublicationOptions) {
    const liveVideoId = live.id;
    this.liveVideoId = liveVideoId;
    this.lastDataMs = deps.clock.monotonicMs();
    this.#isLive = live.data.status === 'LIVE';
    this.#deps = deps;
    this.#hasRoom = hasRoom;
    this.#judge = judge;
    this.#channel = channel;
    const { errors } = deps;
    this.#records = new PublicationRecords({ liveVideoId, fence: lease.fence, judge, errors, channel, log });
    this.#broadcast = new LeasedBroadcast({
      live,
      lease,
      deps,
      states,
      log,
      source: { resume: () => judge.resume(), health: () => this.health() },
      onEffect: (effect) => this.#applyEffect(effect),
      onRefused: () => this.end(this.#verdict),
    });
    this.#taps = new Taps(deps.buffers);
    this.#taps.open(deps.taps, liveVideoId, 'publish', hasRoom);
    if (this.#isLive) this.#taps.open(deps.taps, liveVideoId, 'live', hasRoom);
  }

  /** The broadcast stands as connected in the store when this resolves. */
  begin(): Promise<void> {
    return this.#broadcast.begin();
  }

  // ---------------------------------------------------------------- packets

  /** Until it is LIVE the next packet may be the first of a recording. */
  get keepsPayload(): boolean {
    return this.#taps.keepPayload || (!this.#isLive && this.#deps.settings.record);
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return !this.keepsPayload && this.#judge.retainHeaders(payload, partial);
  }

  video(message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    this.#judge.video(message);
    // Before the taps: the packet that makes it LIVE, as a rule the first key frame, is the first of the recording.
    if (!this.dataFlows && this.#judge.valid) this.#onValidData(message.atMs);
    this.#taps.packet('video', message.timestampMs, message.payload);
    this.#afterPacket(message.atMs);
  }

  audio(message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    this.#judge.audio(message);
    if (!this.dataFlows && this.#judge.valid) this.#onValidData(message.atMs);
    this.#taps.packet('audio', message.timestampMs, message.payload);
    this.#afterPacket(message.atMs);
  }

  metadata(value: unknown, message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    this.#judge.metadata(value, message.atMs);
    this.#taps.packet('data', message.timestampMs, message.payload);
    this.#afterPacket(message.atMs);
  }

  #afterPacket(atMs: number): void {
    this.lastDataMs = atMs;
    this.#afterJudging();
  }

  #afterJudging(): void {
    if (this.#judge.changed) this.#records.take();
    if (this.#judge.ended !== undefined) this.#stop(this.#judge.ended);
  }

  // ---------------------------------------------------------------- time

  tick(wallMs: number, atMs: number): void {
    if (!isHere(this.#phase)) return;
    this.#judge.tick({ wallMs, atMs });
    this.#afterJudging();
    this.#records.flush(atMs);
    this.#broadcast.checkpoints.tick(atMs, this.#isLive);
  }

  health(): StreamHealth {
    return { ...this.#judge.health(), atMs: this.#deps.clock.wallMs(), connected: isHere(this.#phase) };
  }

  async renewLease(): Promise<void> {
    if (!isHere(this.#phase) || (await this.#broadcast.renew()) || !this.#enter('key-lost')) return;
    this.#taps.close();
    this.#channel.closeWith(LEASE_LOST);
  }

  // ---------------------------------------------------------------- records

  /** Said to the encoder, unless it is the reason of an end, which is said when the end stands. */
  onJournalled(entry: JournalEntry): void {
    if (!isHere(this.#phase) || this.#verdict?.code === entry.change.body.error_code) return;
    this.#records.tell(entry, this.#deps.clock.monotonicMs());
  }

  /** Something that the service found out about this broadcast, for its error log. */
  note(code: number, observed: string): void {
    if (!isHere(this.#phase)) return;
    this.#records.note(code, observed, this.#deps.clock.monotonicMs());
  }

  // ---------------------------------------------------------------- going live

  #onValidData(atMs: number): void {
    this.dataFlows = true;
    // The judge starts its clock with this very packet; the store is told in its own time.
    if (this.#broadcast.goesLiveOnData) this.goLive(atMs);
    this.#broadcast.validData();
    this.#records.tellLeftOpen(atMs);
  }

  /** LIVE begins here and now: first settings and the 8 hours count from this packet. */
  goLive(atMs = this.#deps.clock.monotonicMs()): void {
    if (this.#isLive || !isHere(this.#phase)) return;
    this.#isLive = true;
    this.#judge.goLive({ wallMs: this.#deps.clock.wallMs(), atMs });
    this.#taps.open(this.#deps.taps, this.liveVideoId, 'live', this.#hasRoom);
    this.#broadcast.checkpoints.begin(atMs);
  }

  /** The state was changed through the HTTP interface or by a deadline while the stream runs. */
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

  /** False: the table has no such move from here, and nothing is to be done. */
  #enter(event: PublicationEvent): boolean {
    const next = PUBLICATION_TABLE[this.#phase][event];
    if (next === undefined) return false;
    this.#phase = next;
    return true;
  }

  /** The judge has seen enough: the end is said and done once the store has it. */
  #stop({ code, type, text }: EndReason): void {
    if (!this.#enter('judged-over')) return;
    this.#verdict = { code, type, text };
    this.#broadcast.stop(this.#verdict);
  }

  /** The broadcast is over (decided here or elsewhere): close the records, tell the encoder, let it go. */
  end(reason: EndReason | undefined): void {
    const wasHere = isHere(this.#phase);
    if (!this.#enter('ended')) return;
    const record = this.#records.close(this.#now(), reason);
    this.#broadcast.keepJudged(this.#judge.judgedCodes());
    if (!wasHere) return;
    this.#taps.close();
    this.#channel.closeWith(broadcastOver(this.liveVideoId, reason, record));
  }

  /** The connection has gone. Resolves when the store has taken it and the key is free. */
  disconnected(how: DisconnectKind): Promise<void> {
    const endIsUnderWay = this.#phase === 'stopping';
    if (this.#enter('gone')) {
      const at = this.#now();
      this.#records.interrupt(at, how, this.#isLive);
      this.#taps.close();
      if (!endIsUnderWay) this.#broadcast.interrupt(how, at.wallMs);
    }
    return this.#broadcast.release(this.#isLive && this.#phase === 'left');
  }

  #now(): Now {
    const { clock } = this.#deps;
    return { atMs: clock.monotonicMs(), wallMs: clock.wallMs() };
  }

  /** Silent for too long: a newer connection with the key takes over. */
  yieldToNewer(): void {
    this.#channel.closeWith(TAKEN_OVER);
  }

  // ---------------------------------------------------------------- taps

  /** False: the stream is over. */
  attachTap(tap: MediaTap): boolean {
    if (this.#phase !== 'receiving') return false;
    this.#taps.attach(tap);
    return true;
  }

  detachTap(tap: MediaTap): void {
    this.#taps.detach(tap);
  }
}

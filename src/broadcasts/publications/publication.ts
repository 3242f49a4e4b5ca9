/**
 * One publish session: what the judge decides of its packets (`packet-path.ts`) goes to journal and encoder as error records,
 * and to the store as lifecycle transitions. `publication-phase.ts` defines how a session ends.
 */

import type { Now, StreamJudge } from '../../judge/judge.js';
import type { EndReason } from '../../lifecycle/documents.js';
import type { EncoderSetup } from '../../lifecycle/encoder-setup.js';
import type { LifecycleEffect } from '../../lifecycle/lifecycle.js';
import type { JournalEntry, Lease, Log, StreamHealth, TappedStream } from '../../ports/index.js';
import type { MatchDetails } from '../../spec/error-record.js';
import type { BroadcastDeps } from '../context/deps.js';
import { BROADCAST_LIMITS } from '../context/limits.js';
import { LeaseCheck } from '../leases/lease-check.js';
import type { Presence } from '../leases/presence.js';
import type { HeldBacklog } from '../packets/held-backlog.js';
import { PacketPath } from '../packets/packet-path.js';
import { type PictureSubject, PictureTap } from '../packets/picture-tap.js';
import {
  broadcastOver,
  FAILED,
  type Interruption,
  LEASE_LOST,
  RETUNED,
  TAKEN_OVER,
} from '../publisher/close-reasons.js';
import type { DisconnectKind, EncoderChannel } from '../publisher/publisher.js';
import { PublicationRecords } from '../records/publication-records.js';
import { LeasedBroadcast } from '../state/leased-broadcast.js';
import type { LiveVideo, StateWriter } from '../state/state-writer.js';
import type { WhyRefused } from '../state/transition-queue.js';
import { isActive, PUBLICATION_TABLE, type PublicationEvent, type PublicationPhase } from './publication-phase.js';

export interface PublicationOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly judge: StreamJudge;
  /** Handed to the taps. */
  readonly stream: TappedStream;
  /** Of a publish that was held. */
  readonly backlog?: HeldBacklog | undefined;
  readonly channel: EncoderChannel;
  readonly deps: BroadcastDeps;
  readonly states: StateWriter;
  readonly presence: Pick<Presence, 'isStalled'>;
  readonly log: Log;
}

export class Publication {
  readonly liveVideoId: string;
  readonly packets: PacketPath;
  #phase: PublicationPhase = 'receiving';
  /** Why the judge ended the broadcast, if it did. */
  #verdict: EndReason | undefined;
  /** The last packet of an encoder that disconnected: silence and grace period are no part of the broadcast. */
  #leftAt: Now | undefined;
  readonly #deps: BroadcastDeps;
  readonly #judge: StreamJudge;
  readonly #channel: EncoderChannel;
  readonly #broadcast: LeasedBroadcast;
  readonly #records: PublicationRecords;
  readonly #leaseCheck: LeaseCheck;

  constructor({ live, lease, judge, stream, backlog, channel, deps, states, presence, log }: PublicationOptions) {
    const liveVideoId = live.id;
    this.liveVideoId = liveVideoId;
    this.#deps = deps;
    this.#judge = judge;
    this.#channel = channel;
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
      onRefused: (why) => this.#refused(why),
      onSuperseded: () => this.#loseKey(),
    });
    this.#leaseCheck = new LeaseCheck({
      renew: () => this.#broadcast.renew(),
      pause: (ms) => deps.pause(ms),
      presence,
      clock: deps.clock,
      log,
      onLost: () => this.#loseKey(),
      onDone: () => this.#afterJudging(),
    });
    this.packets = new PacketPath({
      stream,
      judge,
      isLive: live.data.status === 'LIVE',
      backlog,
      deps,
      onValidData: (atMs) => this.#onValidData(atMs),
      onJudged: () => this.#afterJudging(),
    });
    if (deps.pictures !== undefined) this.packets.attachTap(new PictureTap(this.#pictures(), deps.pictures));
  }

  /** Resolves when the store lists the broadcast as connected. */
  begin(setup?: EncoderSetup): Promise<void> {
    return this.#broadcast.begin(setup);
  }

  // ---------------------------------------------------------------- judging

  #afterJudging(): void {
    if (this.#judge.changed) void this.#push(this.#records.take());
    if (this.#judge.ended !== undefined) this.#stop(this.#judge.ended);
  }

  /** `lateMs`: how much later than due the tick runs. */
  tick(wallMs: number, atMs: number, lateMs: number): void {
    if (!isActive(this.#phase)) return;
    // The tick after a stall is skipped while the lease is verified; its delay counts with the next one.
    this.packets.noteDelay(lateMs);
    if (this.#leaseCheck.isDeferring) return;
    this.packets.tick(wallMs, atMs);
    this.#records.flush(atMs);
    this.#broadcast.checkpoints.tick(atMs, this.packets.isLive);
  }

  health(): StreamHealth {
    const { clock } = this.#deps;
    const silentMs = Math.max(0, Math.round(clock.monotonicMs() - this.packets.lastDataMs));
    return { ...this.#judge.health(), atMs: clock.wallMs(), connected: isActive(this.#phase), silentMs };
  }

  // ---------------------------------------------------------------- the lease

  async renewLease(): Promise<void> {
    if (isActive(this.#phase) && (await this.#broadcast.renew()) === 'lost') this.#loseKey();
  }

  /** The process stood still, and may have lost the lease meanwhile. */
  verifyLease(): void {
    if (isActive(this.#phase)) this.#leaseCheck.start();
  }

  #verifyAfterStall(): void {
    if (this.#leaseCheck.isDue) this.verifyLease();
  }

  #mayWrite(): boolean {
    this.#verifyAfterStall();
    return !this.#leaseCheck.isDeferring && this.#phase !== 'superseded';
  }

  #loseKey(): void {
    const wasActive = isActive(this.#phase);
    if (!this.#enter('key-lost') || !wasActive) return;
    this.packets.closeTaps();
    this.#channel.closeWith(LEASE_LOST);
  }

  // ---------------------------------------------------------------- records

  async #push(written: Promise<readonly JournalEntry[]>): Promise<void> {
    for (const entry of await written) this.push(entry);
  }

  /** Notifies the encoder, except of the record that ends the broadcast: `end` sends that one. */
  push(entry: JournalEntry): void {
    if (!isActive(this.#phase) || this.#verdict?.code === entry.change.body.error_code) return;
    try {
      this.#records.notify(entry, this.#deps.clock.monotonicMs());
    } catch (error) {
      this.#deps.log.error({ error, liveVideoId: this.liveVideoId }, 'a record could not be sent to the encoder');
    }
  }

  /** Raises a record for a fault that the service observed, not a packet. */
  note(code: number, observed: string, match?: MatchDetails): void {
    if (!isActive(this.#phase)) return;
    void this.#push(this.#records.note(code, observed, this.#deps.clock.monotonicMs(), match));
  }

  // ---------------------------------------------------------------- going live

  #onValidData(atMs: number): void {
    // The judge's clock starts with this packet; the write to the store follows asynchronously.
    if (this.#broadcast.goesLiveOnData) this.goLive(atMs);
    this.#broadcast.validData();
    this.#records.notifyLeftOpen(atMs);
  }

  /** LIVE starts now: the first settings and the 8-hour limit count from this packet. */
  goLive(atMs = this.#deps.clock.monotonicMs()): void {
    if (this.packets.isLive || !isActive(this.#phase)) return;
    this.packets.goLive(this.#deps.clock.wallMs(), atMs);
    this.#broadcast.checkpoints.goLive(atMs);
  }

  /** LIVE_NOW was requested in another process. Before the first packet there is nothing to do: it takes effect with it. */
  goLiveIfDataFlows(): void {
    if (this.packets.dataFlows) this.#broadcast.validData();
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
    // Every transition leaves `receiving`.
    this.packets.stop();
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
    this.packets.closeTaps();
    this.#channel.closeWith(broadcastOver(this.liveVideoId, reason, record));
  }

  /** The store has another state than this session: what the judge decided is told first. */
  #refused(why: WhyRefused): void {
    if (why !== 'fault') this.end(this.#verdict ?? why);
    else if (this.#verdict !== undefined) this.end(this.#verdict);
    else this.#channel.closeWith(FAILED);
  }

  /** The encoder disconnected. Resolves when the store has the transition and the stream key is free. */
  async disconnected(how: DisconnectKind, by?: Interruption): Promise<void> {
    this.#verifyAfterStall();
    await this.#leaseCheck.settled();
    await this.#leave(how, by);
  }

  /** As the stored end: an owner's end of a silent stream is where it fell silent, a stop is when it was made. */
  #endsAt(reason: EndReason | undefined): Now {
    const at = this.#now();
    const isSilent = at.atMs - this.packets.lastDataMs >= BROADCAST_LIMITS.takeOverSilenceMs;
    return isSilent && reason === undefined ? this.#lastPacket(at) : at;
  }

  #lastPacket(at: Now): Now {
    return {
      atMs: this.packets.lastDataMs,
      wallMs: Math.round(at.wallMs - Math.max(0, at.atMs - this.packets.lastDataMs)),
    };
  }

  #leave(how: DisconnectKind, by: Interruption | undefined): Promise<void> {
    const isEnding = this.#phase === 'stopping';
    if (this.#enter('gone')) {
      const at = this.#now();
      const last = this.#lastPacket(at);
      this.#leftAt = last;
      this.#records.interrupt(at, how, this.packets.isLive, by);
      this.packets.closeTaps();
      if (!isEnding) this.#broadcast.interrupt(how, { wallMs: at.wallMs, lastMs: last.wallMs });
    }
    return this.#broadcast.release(this.packets.isLive && this.#phase === 'left');
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

  // ---------------------------------------------------------------- pictures

  /** For the tap that has key frames decoded. */
  #pictures(): PictureSubject {
    const judge = this.#judge;
    return {
      wantsPicture: () => judge.wantsPicture,
      askPicture: () => judge.askPicture(),
      picture: (number, gray) => {
        if (!isActive(this.#phase)) return;
        judge.picture(number, gray);
        this.#afterJudging();
      },
    };
  }
}

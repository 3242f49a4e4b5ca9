/**
 * One publish session, whole: its packets go to the judge and to the taps, what the judge finds goes to journal and encoder as
 * error records, and to the store as lifecycle transitions. A packet creates no promise and no object.
 */

import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { Now, StreamJudge } from '../judge/judge.js';
import type { EndReason } from '../lifecycle/documents.js';
import type { EncoderSetup } from '../lifecycle/encoder-setup.js';
import { goesLiveOnPublish, type LifecycleEffect, type LifecycleInput } from '../lifecycle/lifecycle.js';
import type { MediaMessage } from '../media/media-message.js';
import type { JournalEntry, Lease, Log, MediaTap, StreamHealth, TappedStream } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { MatchDetails, RecordBody } from '../spec/error-record.js';
import { Checkpoints } from './checkpoints.js';
import type { ReceivingDeps } from './deps.js';
import { HeldBacklog, type MessagePosition } from './held-backlog.js';
import { BROADCAST_LIMITS } from './limits.js';
import { type PictureSubject, PictureTap } from './picture-tap.js';
import type { Presence } from './presence.js';
import { PublishLease } from './publish-lease.js';
import { broadcastOver, type CloseReason, FAILED, type Interruption, LEASE_LOST } from './publisher/close-reasons.js';
import type {
  AdmittedClient,
  DisconnectKind,
  EncoderChannel,
  PacketTarget,
  SocketFacts,
} from './publisher/publisher.js';
import { RecordNotifier } from './record-notifier.js';
import type { LiveVideo, StateWriter, WhyRefused } from './state-writer.js';
import { Taps } from './taps.js';

export type PublicationPhase =
  /** Packets are judged and passed to taps. */
  | 'receiving'
  /** The judge has ended the broadcast; the write to the store is pending. Packets are ignored, the encoder is connected. */
  | 'stopping'
  /** The encoder has disconnected. The broadcast may be resumed, so its records stay open. */
  | 'left'
  /** The broadcast is over: its records are closed, and a connected encoder was sent the reason. */
  | 'over'
  /** Another process holds the lease, and the records with it. */
  | 'superseded';

export type PublicationEvent =
  /** By the 8-hour limit or strict enforcement. */
  | 'judged-over'
  /** The end is in the store: by the judge, the HTTP interface, a deadline, or an unpublish that ends the broadcast. */
  | 'ended'
  /** Unpublished, lost, or released by this server. */
  | 'gone'
  | 'key-lost';

/**
 * How a publish session ends; every other event is ignored. The broadcast has its own lifecycle (`lifecycle/lifecycle.ts`) and
 * may continue with the next publish session.
 */
export const PUBLICATION_TABLE: Readonly<
  Record<PublicationPhase, Readonly<Partial<Record<PublicationEvent, PublicationPhase>>>>
> = {
  receiving: { 'judged-over': 'stopping', ended: 'over', gone: 'left', 'key-lost': 'superseded' },
  stopping: { ended: 'over', gone: 'left', 'key-lost': 'superseded' },
  // The lease may still be held briefly, so an end that arrives now must close the records here.
  left: { ended: 'over', 'key-lost': 'superseded' },
  // Until it has left: what the stream was as it ended is then kept by the other process.
  over: { 'key-lost': 'superseded' },
  superseded: {},
};

/** The encoder is connected and this process writes its records. */
export function isActive(phase: PublicationPhase): boolean {
  return phase === 'receiving' || phase === 'stopping';
}

export interface PublicationOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly judge: StreamJudge;
  readonly client: AdmittedClient;
  /** Handed to the taps. */
  readonly stream: TappedStream;
  readonly channel: EncoderChannel;
  readonly deps: ReceivingDeps;
  readonly states: StateWriter;
  readonly presence: Pick<Presence, 'isStalled'>;
  readonly log: Log;
}

export class Publication implements PacketTarget, PictureSubject {
  /** A tap wants whole packets. A plain field: the socket compares it for each TLS record. */
  keepsPayload = false;
  /** Valid data has arrived: a preview can be published, a waiting broadcast goes LIVE. */
  dataFlows = false;
  #phase: PublicationPhase = 'receiving';
  /** The broadcast is LIVE, possibly before the store has the transition. */
  #isLive: boolean;
  #lastDataMs: number;
  #isInterrupted = false;
  readonly #judge: StreamJudge;
  readonly #taps: Taps;
  #backlog: HeldBacklog | undefined;

  readonly liveVideoId: string;
  readonly #client: AdmittedClient;
  readonly #stream: TappedStream;
  readonly #channel: EncoderChannel;
  readonly #deps: ReceivingDeps;
  readonly #log: Log;
  /** Settings of another answer than before: the change is the server's own. */
  readonly #announced: EncoderSetup | undefined;
  /** How late the clock has been since the last tick of the judge, and when it was late last. */
  #lateMs = 0;
  #lateAtMs = Number.NEGATIVE_INFINITY;
  #socket: SocketFacts | undefined;

  readonly #notices: RecordNotifier;
  readonly #loggedCodes = new Set<number>();
  #recordNumber = 0;

  readonly #states: StateWriter;
  readonly #lease: PublishLease;
  /** The check of the lease, while it runs, and how long it is waited for. */
  #verifying: Promise<void> | undefined;
  #deferredUntilMs = 0;
  readonly #checkpoints: Checkpoints;
  /** The last known stored version. */
  #live: LiveVideo;
  /** Writes about the broadcast, in order. */
  #writes: Promise<void> = Promise.resolve();
  /** The last packet of an encoder that disconnected: silence and grace period are no part of the broadcast. */
  #leftAt: Now | undefined;

  constructor({ live, lease, judge, client, stream, channel, deps, states, presence, log }: PublicationOptions) {
    const atMs = deps.clock.monotonicMs();
    this.#isLive = live.data.status === 'LIVE';
    this.#lastDataMs = atMs;
    this.#judge = judge;
    this.#taps = new Taps(deps.buffers);
    this.liveVideoId = live.id;
    this.#client = client;
    this.#stream = stream;
    this.#channel = channel;
    this.#deps = deps;
    this.#log = log;
    const { setup, heldMs } = client;
    this.#announced = setup?.configId === live.data.encoderSetup?.configId ? undefined : setup;
    this.#connectJudge(atMs, false);
    if (heldMs >= BROADCAST_LIMITS.heldBacklogMs) this.#backlog = new HeldBacklog(atMs + heldMs);
    // Before the first packet: the records that are open now were left open by an earlier connection.
    this.#notices = new RecordNotifier(live.id, channel, judge.openErrors);
    this.#states = states;
    this.#lease = new PublishLease(lease, deps, presence, log);
    this.#checkpoints = new Checkpoints(live.id, deps.store, log, atMs);
    this.#live = live;
    this.#openTaps('publish');
    this.#taps.judged(this.#judge.openFaults);
    if (this.#isLive) this.#openTaps('live');
    if (deps.pictures !== undefined) this.#taps.attach(new PictureTap(this, deps.pictures, deps.pictureTurns));
    this.#updateKeepsPayload();
  }

  /** Resolves when the store lists the broadcast as connected. `found`: a fault before this session, with its code. */
  begin(found?: Interruption & { readonly code: number }): Promise<void> {
    const { clock } = this.#deps;
    if (found !== undefined) this.#judge.note(found.code, { ...found, atMs: clock.monotonicMs() });
    const { setup } = this.#client;
    return this.#move({ type: 'publish', wallMs: clock.wallMs(), setup, fence: this.#lease.fence });
  }

  #connectJudge(atMs: number, midStream: boolean): void {
    const { clientName, setup } = this.#client;
    const announced = this.#announced;
    this.#judge.connect({ wallMs: this.#deps.clock.wallMs(), atMs, clientName, setup, announced, midStream });
  }

  // ---------------------------------------------------------------- packets

  video(message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    if (this.#backlog === undefined || !this.#isHeldBack('video', message)) this.#judge.video(message);
    // Before the taps: the packet that makes it LIVE, usually the first key frame, is the first one recorded.
    if (!this.dataFlows && this.#judge.valid) this.#firstValidData(message.atMs);
    this.#toTaps('video', message);
    this.#afterPacket(message.atMs);
  }

  audio(message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    if (this.#backlog === undefined || !this.#isHeldBack('audio', message)) this.#judge.audio(message);
    if (!this.dataFlows && this.#judge.valid) this.#firstValidData(message.atMs);
    this.#toTaps('audio', message);
    this.#afterPacket(message.atMs);
  }

  metadata(value: unknown, message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    this.#backlog?.metadata(value);
    this.#judge.metadata(value, message.atMs);
    this.#toTaps('data', message);
    this.#afterPacket(message.atMs);
  }

  data(name: string, values: readonly unknown[], { timestampMs, atMs }: MediaMessage): void {
    if (this.#phase !== 'receiving' || this.#backlog !== undefined) return;
    this.#judge.data(name, values, timestampMs, atMs);
    this.#afterJudging();
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return !this.keepsPayload && this.#backlog === undefined && this.#judge.retainHeaders(payload, partial);
  }

  #toTaps(kind: 'audio' | 'video' | 'data', { timestampMs, payload }: MediaMessage): void {
    this.#taps.packet(kind, timestampMs, payload);
    this.#updateKeepsPayload();
  }

  #afterPacket(atMs: number): void {
    if (atMs - this.#lastDataMs > BROADCAST_LIMITS.pauseMs) this.#isInterrupted = true;
    this.#lastDataMs = atMs;
    this.#afterJudging();
  }

  #afterJudging(): void {
    if (this.#judge.changed) this.#takeRecords();
    if (this.#judge.ended !== undefined) this.#stop(this.#judge.ended);
  }

  /** True: not to be judged. A broadcast that waits for valid data goes LIVE with the first of it, also of a backlog. */
  #isHeldBack(kind: 'audio' | 'video', message: MediaMessage): boolean {
    if (this.#backlog?.holds(kind, message) === true) return this.#isLive || this.dataFlows;
    this.#endBacklog(message);
    return false;
  }

  /** The judge begins anew at `at`. */
  #endBacklog(at: MessagePosition): void {
    const backlog = this.#backlog;
    this.#backlog = undefined;
    this.#connectJudge(at.atMs, true);
    backlog?.replay(this.#judge, at);
  }

  // ---------------------------------------------------------------- time

  /** `lateMs`: how much later than due the tick runs. */
  tick(wallMs: number, atMs: number, lateMs: number): void {
    if (!isActive(this.#phase)) return;
    // The tick after a stall is skipped while the lease is verified; its delay counts with the next one.
    if (lateMs > this.#lateMs) this.#lateMs = lateMs;
    if (lateMs > BROADCAST_LIMITS.pauseMs) this.#lateAtMs = this.#deps.clock.monotonicMs();
    if (this.#isDeferring) return;
    this.#tickBacklog(atMs);
    if (this.#backlog === undefined) this.#judge.tick({ wallMs, atMs, own: { lateMs: this.#lateMs, ...this.#socket } });
    this.#lateMs = 0;
    this.#socket = undefined;
    this.#afterJudging();
    this.#taps.ask();
    this.#updateKeepsPayload();
    this.#notices.flush(atMs);
    if (this.#isLive && this.#checkpoints.isSaveDue(atMs)) this.#checkpoints.begin(atMs, this.#judge.resume());
    if (this.#checkpoints.isShareDue(atMs)) this.#checkpoints.share(atMs, this.health());
  }

  /** A backlog ends at its time, if no key frame came. */
  #tickBacklog(atMs: number): void {
    if (this.#backlog?.isOpen(atMs) !== false) return;
    const newest = this.#backlog.newestAt(atMs);
    if (newest === undefined) this.#backlog = undefined;
    else this.#endBacklog(newest);
  }

  takeSocket(socket: SocketFacts): void {
    this.#socket = socket;
  }

  get arrivesEvenly(): boolean {
    return this.#judge.arrivesEvenly;
  }

  takeInterruptions(): boolean {
    const atMs = this.#deps.clock.monotonicMs();
    const isInterrupted = this.#isInterrupted || atMs - this.#lastDataMs > BROADCAST_LIMITS.pauseMs;
    this.#isInterrupted = false;
    // A server that is late itself pauses every stream, and has no time to ask for the segments of each.
    return isInterrupted && atMs - this.#lateAtMs > BROADCAST_LIMITS.lateMs;
  }

  /** No packet has arrived for so long that a newer publisher may take the stream key. */
  get isSilent(): boolean {
    return this.#deps.clock.monotonicMs() - this.#lastDataMs >= BROADCAST_LIMITS.takeOverSilenceMs;
  }

  health(): StreamHealth {
    const { clock } = this.#deps;
    const silentMs = Math.max(0, Math.round(clock.monotonicMs() - this.#lastDataMs));
    return { ...this.#judge.health(), atMs: clock.wallMs(), connected: isActive(this.#phase), silentMs };
  }

  // ---------------------------------------------------------------- taps

  #openTaps(when: 'publish' | 'live'): void {
    this.#taps.open(this.#deps.taps, this.#stream, when);
  }

  /** Before LIVE, the next packet may be the first one of a recording. */
  #updateKeepsPayload(): void {
    this.keepsPayload = this.#taps.keepPayload || (!this.#isLive && this.#deps.settings.record);
  }

  /** False if the stream is over. */
  attachTap(tap: MediaTap): boolean {
    if (this.#phase !== 'receiving') return false;
    this.#taps.attach(tap);
    this.#updateKeepsPayload();
    return true;
  }

  detachTap(tap: MediaTap): void {
    this.#taps.detach(tap);
    this.#updateKeepsPayload();
  }

  #closeTaps(): void {
    this.#taps.close();
    this.#updateKeepsPayload();
  }

  wantsPicture(): boolean {
    return this.#judge.wantsPicture;
  }

  wantsSample(): boolean {
    return this.#judge.wantsSample;
  }

  askPicture(): number {
    return this.#judge.askPicture();
  }

  picture(number: number, gray: Uint8Array | undefined): void {
    if (!isActive(this.#phase)) return;
    this.#judge.picture(number, gray);
    this.#afterJudging();
  }

  // ---------------------------------------------------------------- records

  /** Moves the judge's pending changes to log and journal. They stay with it while another process may have the broadcast. */
  #takeRecords(): void {
    this.#taps.judged(this.#judge.openFaults);
    if (this.#lease.isCheckDue) this.verifyLease();
    if (this.#isDeferring || this.#phase === 'superseded') return;
    const entries = this.#judge.takeChanges().map((change) => {
      if (change.change === 'raised') this.#logOnce(change.body);
      return { broadcastId: this.liveVideoId, fence: this.#lease.fence, number: ++this.#recordNumber, change };
    });
    void this.#deps.errors.append(entries).then((written) => this.push(written));
  }

  #logOnce({ error_code, error_type, stream_time_ms, description }: RecordBody): void {
    if (this.#loggedCodes.has(error_code)) return;
    this.#loggedCodes.add(error_code);
    this.#log.warn({ error_code, error_type, stream_time_ms }, description);
  }

  /** Raises a record for a fault that the service observed, not a packet. */
  note(code: number, observed: string, match?: MatchDetails, forward?: string): void {
    if (!isActive(this.#phase)) return;
    this.#judge.note(code, { observed, atMs: this.#now().atMs, match, forward });
    this.#takeRecords();
  }

  /** Notifies the encoder of durable records, except of the one that ends the broadcast: `end` sends that one. */
  push(entries: readonly JournalEntry[]): void {
    if (!isActive(this.#phase)) return;
    try {
      for (const { change } of entries)
        if (this.#judge.ended?.code !== change.body.error_code)
          this.#notices.notify(change, this.#deps.clock.monotonicMs());
    } catch (error) {
      this.#log.error({ error }, 'a record could not be sent to the encoder');
    }
  }

  /** Closes all open records. Returns the record of the end; for a stop from outside it is created here. */
  #closeRecords(at: Now, reason: EndReason | undefined): RecordBody | undefined {
    if (reason?.code === SERVICE_CODES.copyrightViolation)
      this.#judge.note(reason.code, { observed: reason.text, atMs: at.atMs });
    const record = reason === undefined || reason.code === 0 ? undefined : this.#judge.lastRecord(reason.code);
    this.#judge.end(at);
    this.#takeRecords();
    return record;
  }

  // ---------------------------------------------------------------- the lease

  async renewLease(): Promise<void> {
    if (isActive(this.#phase) && (await this.#lease.renew()) === 'lost') this.#loseKey();
  }

  /**
   * The process stood still, and may have lost the lease meanwhile. A store that is away does not tell: after a while the session
   * continues as one that did not stand still does during an outage, and ends if the lease turns out to be lost.
   */
  verifyLease(): void {
    if (!isActive(this.#phase)) return;
    this.#deferredUntilMs = this.#deps.clock.monotonicMs() + BROADCAST_LIMITS.verifyMs;
    this.#verifying ??= this.#verifyLease();
  }

  async #verifyLease(): Promise<void> {
    if ((await this.#lease.verify()) === 'lost') this.#loseKey();
    this.#verifying = undefined;
    this.#afterJudging();
  }

  /** No record is written and no state is saved until the store answers. */
  get #isDeferring(): boolean {
    return this.#verifying !== undefined && this.#deps.clock.monotonicMs() < this.#deferredUntilMs;
  }

  #loseKey(): void {
    const wasActive = isActive(this.#phase);
    if (!this.#enter('key-lost') || !wasActive) return;
    this.#closeTaps();
    this.#channel.closeWith(LEASE_LOST);
  }

  // ---------------------------------------------------------------- going live

  #firstValidData(atMs: number): void {
    this.dataFlows = true;
    // The judge's clock starts with this packet; the write to the store follows asynchronously.
    if (goesLiveOnPublish(this.#live.data)) this.goLive(atMs);
    void this.#move({ type: 'valid-data', wallMs: this.#deps.clock.wallMs() });
    this.#notices.notifyLeftOpen(this.#judge, atMs);
  }

  /** LIVE starts now: the first settings and the 8-hour limit count from this packet. */
  goLive(atMs = this.#deps.clock.monotonicMs()): void {
    if (this.#isLive || !isActive(this.#phase)) return;
    this.#isLive = true;
    this.#judge.goLive({ wallMs: this.#deps.clock.wallMs(), atMs });
    this.#openTaps('live');
    this.#updateKeepsPayload();
    this.#checkpoints.goLive(atMs);
  }

  /** LIVE_NOW was requested in another process. Before the first packet there is nothing to do: it takes effect with it. */
  goLiveIfDataFlows(): void {
    if (this.dataFlows) void this.#move({ type: 'valid-data', wallMs: this.#deps.clock.wallMs() });
  }

  /** Takes over a state that the HTTP interface or a deadline wrote while the stream runs. */
  adopt(live: LiveVideo): void {
    this.#live = live;
    if (live.data.status === 'LIVE') this.goLive();
  }

  // ---------------------------------------------------------------- the stored broadcast

  /** Runs `write` after everything queued so far. `write` must not reject. */
  #then(write: () => Promise<void>): Promise<void> {
    this.#writes = this.#writes.then(write);
    return this.#writes;
  }

  /** Resolves when this transition and all earlier ones have been committed or dropped. */
  #move(input: LifecycleInput): Promise<void> {
    return this.#then(async () => {
      const written = await this.#states.write(this.#live, input, this.#lease.fence, this.#deps, this.#log);
      if (written.is === 'refused') this.#refused(written.why);
      if (written.is === 'superseded') this.#loseKey();
      if (written.is !== 'moved') return;
      this.#live = written.live;
      try {
        for (const effect of written.effects) this.#apply(effect);
      } catch (error) {
        this.#log.error({ input: input.type, error }, 'a transition of the broadcast failed');
        this.#refused('fault');
      }
    });
  }

  #apply(effect: LifecycleEffect): void {
    if (effect.effect === 'went-live') this.goLive();
    if (effect.effect === 'close-publisher') this.end(effect.reason);
    if (effect.effect === 'ended') this.#deps.recordings.ended(this.#live);
  }

  /** The store has another state than this session: what the judge decided is told first. */
  #refused(why: WhyRefused): void {
    const reason = this.#judge.ended ?? why;
    if (reason === 'fault') this.#channel.closeWith(FAILED);
    else this.end(reason);
  }

  // ---------------------------------------------------------------- the end

  /** False: the table has no transition for `event`, which is ignored. */
  #enter(event: PublicationEvent): boolean {
    const next = PUBLICATION_TABLE[this.#phase][event];
    if (next === undefined) return false;
    this.#phase = next;
    return true;
  }

  /** The judge ended the broadcast. `end` closes the session once the store has the transition. */
  #stop(reason: EndReason): void {
    if (!this.#enter('judged-over')) return;
    void this.#move({ type: 'stop', wallMs: this.#deps.clock.wallMs(), reason });
  }

  /** The broadcast is over, decided here or elsewhere: closes the records, sends the reason and disconnects the encoder. */
  end(reason: EndReason | undefined): void {
    const wasActive = isActive(this.#phase);
    if (!this.#enter('ended')) return;
    const record = this.#closeRecords(this.#leftAt ?? this.#endsAt(reason), reason);
    const codes = this.#judge.judgedCodes();
    // For reports after the end.
    void this.#then(() =>
      this.#states.keepJudged(this.liveVideoId, codes).catch((error: unknown) => {
        this.#log.warn({ error }, 'storing the codes of the judged rules failed');
      }),
    );
    if (!wasActive) return;
    this.#closeTaps();
    this.#channel.closeWith(broadcastOver(this.liveVideoId, reason, record));
  }

  /** Equal to the stored end: an owner's end of a silent stream is where it fell silent, a stop is when it was made. */
  #endsAt(reason: EndReason | undefined): Now {
    const at = this.#now();
    return this.isSilent && reason === undefined ? this.#lastPacket(at) : at;
  }

  /**
   * The encoder disconnected: by itself, or `by` the reason that this server gave it. Resolves when the store has the transition
   * and the stream key is free.
   */
  async disconnected(how: DisconnectKind, by?: Interruption): Promise<void> {
    if (this.#lease.isCheckDue) this.verifyLease();
    while (this.#isDeferring) {
      const verified = this.#verifying?.then(() => false);
      if (!(await Promise.race([verified, this.#deps.pause(BROADCAST_LIMITS.proveAliveMs)]))) break;
    }
    const isEnding = this.#phase === 'stopping';
    if (this.#enter('gone')) this.#leave(how, by, isEnding);
    await this.#then(() => this.#release());
  }

  /** Open records stay open while the broadcast can resume; one that was never LIVE starts over. */
  #leave(how: DisconnectKind, by: Interruption | undefined, isEnding: boolean): void {
    const at = this.#now();
    this.#leftAt = this.#lastPacket(at);
    this.#judge.disconnect({ ...at, clean: how === 'unpublished' });
    if (this.#isLive && how === 'lost')
      this.#judge.note(SERVICE_CODES.streamInterrupted, { ...(by ?? { observed: 'connection lost' }), atMs: at.atMs });
    if (!this.#isLive) this.#judge.end(at);
    this.#judge.flush();
    this.#takeRecords();
    this.#closeTaps();
    if (isEnding) return;
    const type = how === 'unpublished' ? 'unpublish' : 'connection-lost';
    const graceMs = this.#deps.settings.reconnectGraceMs;
    void this.#move({ type, wallMs: at.wallMs, lastMs: this.#leftAt.wallMs, graceMs });
  }

  /** Checkpoints and states of another process must not be overwritten. */
  async #release(): Promise<void> {
    const canResume = this.#phase === 'left' && this.#isLive && this.#live.data.status === 'LIVE';
    if (canResume) await this.#checkpoints.save(this.#judge.resume());
    if (this.#phase !== 'superseded') await this.#checkpoints.keepLast(this.health());
    await this.#lease.release(this.#live.data.ownerId);
  }

  #lastPacket({ atMs, wallMs }: Now): Now {
    return { atMs: this.#lastDataMs, wallMs: Math.round(wallMs - Math.max(0, atMs - this.#lastDataMs)) };
  }

  #now(): Now {
    const { clock } = this.#deps;
    return { atMs: clock.monotonicMs(), wallMs: clock.wallMs() };
  }

  /** Disconnects the encoder, which may publish again. */
  letGo(reason: CloseReason): void {
    this.#channel.closeWith(reason);
  }
}

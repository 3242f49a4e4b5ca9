/**
 * One publish session, whole: its packets go to the judge and to the taps, what the judge finds goes to journal and encoder as
 * error records, and to the store as lifecycle transitions. A packet creates no promise and no object.
 */
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { Now, StreamJudge } from '../judge/judge.js';
import { defined } from '../lib/objects.js';
import type { EndReason } from '../lifecycle/documents.js';
import { goesLiveOnPublish, type LifecycleEffect, type LifecycleInput } from '../lifecycle/lifecycle.js';
import type { InputIndex } from '../lifecycle/on-air.js';
import type { MessageKind } from '../media/flv/latest-headers.js';
import type { MediaMessage } from '../media/media-message.js';
import type { JournalEntry, Lease, Log, MediaTap, StreamHealth, TappedStream } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { RecordBody, StoredRecord } from '../spec/error-record.js';
import { Checkpoints } from './checkpoints.js';
import type { ReceivingDeps } from './deps.js';
import type { Air, InputPair, NoteDetails, PairMember } from './input-pair.js';
import { BROADCAST_LIMITS } from './limits.js';
import { type PictureSubject, PictureTap } from './picture-tap.js';
import type { Presence } from './presence.js';
import { isActive, PUBLICATION_TABLE, type PublicationEvent, type PublicationPhase } from './publication-phase.js';
import { PublicationRecords } from './publication-records.js';
import { type PublishLease, PublishLeases } from './publish-lease.js';
import { broadcastOver, type CloseReason, FAILED, type Interruption, LEASE_LOST } from './publisher/close-reasons.js';
import type {
  AdmittedClient,
  DisconnectKind,
  EncoderChannel,
  PacketTarget,
  SocketFacts,
} from './publisher/publisher.js';
import { Reception } from './reception.js';
import { ShownTaps } from './shown-taps.js';
import { type LiveVideo, lostInputs, type StateWriter, type WhyRefused } from './state-writer.js';

export interface PublicationOptions {
  readonly live: LiveVideo;
  /** The lease of the stream key. */
  readonly lease: Lease;
  /** For a live video with two input streams: the pair, and the right to be on air. Without it, the publication stands by. */
  readonly pair?: InputPair<Publication> | undefined;
  readonly air?: Lease | undefined;
  /** Makes the ids of its records distinct; absent: that of the lease. */
  readonly fence?: number;
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

export class Publication implements PacketTarget, PictureSubject, PairMember {
  /** A tap wants whole packets. A plain field: the socket compares it for each TLS record. */
  keepsPayload = false;
  /** Valid data has arrived: a preview can be published, a waiting broadcast goes LIVE. */
  dataFlows = false;
  #phase: PublicationPhase = 'receiving';
  /** The broadcast is LIVE, possibly before the store has the transition. */
  #isLive: boolean;
  readonly #judge: StreamJudge;
  readonly #taps: ShownTaps;
  readonly #reception: Reception;
  readonly liveVideoId: string;
  readonly #client: AdmittedClient;
  readonly #channel: EncoderChannel;
  readonly #deps: ReceivingDeps;
  readonly #log: Log;
  readonly #records: PublicationRecords;
  readonly #states: StateWriter;
  readonly #leases: PublishLeases;
  readonly #pair: InputPair<Publication> | undefined;
  /** The next key frame of this one of two input streams may be the first on air. */
  #isNext = false;
  readonly #checkpoints: Checkpoints;
  /** The last known stored version. */
  #live: LiveVideo;
  /** Writes about the broadcast, in order. */
  #writes: Promise<void> = Promise.resolve();
  /** The last packet of an encoder that disconnected: silence and grace period are no part of the broadcast. */
  #leftAt: Now | undefined;

  constructor(options: PublicationOptions) {
    const { live, lease, judge, client, stream, channel, deps, states, log } = options;
    const { pair, air, fence = lease.fence } = options;
    this.#isLive = live.data.status === 'LIVE';
    this.#judge = judge;
    this.liveVideoId = live.id;
    this.#client = client;
    this.#channel = channel;
    this.#deps = deps;
    this.#log = log;
    this.#reception = new Reception(judge, client, live.data.encoderSetup?.configId, deps.clock);
    // Before the first packet: the records that are open now were left open by an earlier connection.
    this.#records = new PublicationRecords({ broadcastId: live.id, fence, judge, channel, deps, log });
    this.#states = states;
    this.#leases = new PublishLeases(lease, pair === undefined ? lease : air, options);
    this.#pair = pair;
    judge.standsBy = !this.isOnAir;
    this.#taps = new ShownTaps(deps, stream, this.isOnAir, pair?.onAir, this.index);
    this.#checkpoints = new Checkpoints(live.id, deps.store, log, deps.clock.monotonicMs());
    this.#live = live;
    if (this.isOnAir) {
      this.#taps.open('publish');
      this.#taps.judged(this.#judge.openFaults);
      if (this.#isLive) this.#taps.open('live');
    }
    if (deps.pictures !== undefined) this.#taps.attachOwn(new PictureTap(this, deps.pictures, deps.pictureTurns));
    this.#updateKeepsPayload();
  }

  /** Resolves when the store lists the broadcast as connected. `found`: a fault before this session, with its code. */
  begin(found?: Interruption & { readonly code: number }): Promise<void> {
    const { clock } = this.#deps;
    if (found !== undefined) this.#judge.note(found.code, { ...found, atMs: clock.monotonicMs() });
    const fence = defined({ fence: this.#leases.air?.fence });
    return this.#move({ type: 'publish', wallMs: clock.wallMs(), setup: this.#client.setup, ...fence });
  }

  // ---------------------------------------------------------------- packets

  video(message: MediaMessage): void {
    this.#packet('video', message);
  }

  audio(message: MediaMessage): void {
    this.#packet('audio', message);
  }

  #packet(kind: 'video' | 'audio', message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    if (this.#pair !== undefined && this.#taps.mayBegin(kind, message)) this.#pair.switchTo(this, message);
    this.#reception.packet(kind, message, !this.#isLive && !this.dataFlows);
    // Before the taps: the packet that makes it LIVE, usually the first key frame, is the first one recorded.
    if (!this.dataFlows && this.#judge.valid) this.#firstValidData(message.atMs);
    this.#toTaps(kind, message);
    this.#afterPacket(message.atMs);
  }

  metadata(value: unknown, message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    this.#reception.metadata(value, message.atMs);
    this.#toTaps('data', message);
    this.#afterPacket(message.atMs);
  }

  data(name: string, values: readonly unknown[], message: MediaMessage): void {
    if (this.#phase !== 'receiving') return;
    this.#reception.data(name, values, message);
    this.#afterJudging();
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return !this.keepsPayload && this.#reception.retainHeaders(payload, partial);
  }

  #toTaps(kind: MessageKind, message: MediaMessage): void {
    this.#taps.packet(kind, message);
    this.#updateKeepsPayload();
  }

  #afterPacket(atMs: number): void {
    this.#reception.arrived(atMs);
    this.#afterJudging();
  }

  #afterJudging(): void {
    if (this.#judge.changed) this.#takeRecords();
    if (this.#judge.ended !== undefined) this.#stop(this.#judge.ended);
  }

  // ---------------------------------------------------------------- time

  /** `lateMs`: how much later than due the tick runs. */
  tick(wallMs: number, atMs: number, lateMs: number): void {
    if (!isActive(this.#phase)) return;
    this.#reception.isLate(lateMs);
    if (this.#leases.isDeferring) return;
    this.#reception.tick(wallMs, atMs);
    this.#afterJudging();
    this.#taps.ask();
    this.#isNext = this.#pair?.onAir.isNeeded(this.index, atMs) ?? false;
    this.#updateKeepsPayload();
    this.#records.flush(atMs);
    if (this.#isLive && this.isOnAir && this.#checkpoints.isSaveDue(atMs))
      this.#checkpoints.begin(atMs, this.#judge.resume());
    if (this.#checkpoints.isShareDue(atMs)) this.#checkpoints.share(atMs, this.health());
  }

  takeSocket(socket: SocketFacts): void {
    this.#reception.takeSocket(socket);
  }

  get arrivesEvenly(): boolean {
    return this.#judge.arrivesEvenly;
  }

  takeInterruptions(): boolean {
    return this.#reception.takeInterruptions();
  }

  /** No packet has arrived for `ms`; by default, for so long that a newer publisher may take the stream key. */
  isSilentFor(ms: number = BROADCAST_LIMITS.takeOverSilenceMs): boolean {
    return this.#reception.silentMs >= ms;
  }

  health(): StreamHealth {
    const silentMs = Math.round(this.#reception.silentMs);
    const atMs = this.#deps.clock.wallMs();
    const health = { ...this.#judge.health(), atMs, connected: isActive(this.#phase), silentMs };
    const { inputStreamId: inputStream } = this;
    return inputStream === undefined ? health : { ...health, inputStream, onAir: this.isOnAir };
  }

  // ---------------------------------------------------------------- taps

  /** Before LIVE, the next packet may be the first one of a recording. */
  #updateKeepsPayload(): void {
    this.keepsPayload =
      this.#taps.keepPayload || this.#isNext || (!this.#isLive && this.isOnAir && this.#deps.settings.record);
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
    if (this.#leases.isCheckDue) this.verifyLease();
    if (this.#leases.isDeferring || this.#phase === 'superseded') return;
    void this.#records.take().then((written) => this.push(written));
  }

  /** Raises a record for a fault that the service observed, not a packet. */
  note(code: number, observed: string, more: NoteDetails = {}): void {
    if (!isActive(this.#phase)) return;
    this.#judge.note(code, { observed, atMs: this.#reception.now.atMs, ...more });
    this.#takeRecords();
  }

  /** Clears a record that `note` raised. */
  clearNoted(code: number): void {
    if (!isActive(this.#phase)) return;
    this.#judge.clearNoted(code, this.#reception.now.atMs);
    this.#takeRecords();
  }

  /** A record with the severity `error` is open. */
  get hasFaults(): boolean {
    return this.#judge.openFaults.length > 0;
  }

  /** Notifies the encoder of durable records, except of the one that ends the broadcast: `end` sends that one. */
  push(entries: readonly JournalEntry[]): void {
    if (isActive(this.#phase)) this.#records.push(entries, this.#deps.clock.monotonicMs());
  }

  /** Clears those of `open` that earlier publishes of this input left. */
  clearEarlier(open: readonly StoredRecord[]): void {
    this.#records.clearEarlier(open, this.inputStreamId);
  }

  /** Closes all open records. Returns the record of the end; for a stop from outside it is created here. */
  #closeRecords(at: Now, reason: EndReason | undefined): RecordBody | undefined {
    if (reason?.code === SERVICE_CODES.copyrightViolation && this.isOnAir)
      this.#judge.note(reason.code, { observed: reason.text, atMs: at.atMs });
    const record = reason === undefined || reason.code === 0 ? undefined : this.#judge.lastRecord(reason.code);
    this.#judge.end(at);
    this.#takeRecords();
    return record;
  }

  // ---------------------------------------------------------------- the lease

  async renewLease(): Promise<void> {
    if (isActive(this.#phase)) this.#lost(await this.#leases.renew());
  }

  /** The process stood still, and may have lost its leases meanwhile. */
  verifyLease(): void {
    if (!isActive(this.#phase)) return;
    void this.#leases.verify()?.then((lost) => {
      this.#lost(lost);
      this.#afterJudging();
    });
  }

  #lost(lease: PublishLease | undefined): void {
    if (lease === this.#leases.key) this.#loseKey();
    else if (lease !== undefined) this.#loseAir(lease);
  }

  #loseKey(): void {
    const wasActive = isActive(this.#phase);
    if (!this.#enter('key-lost') || !wasActive) return;
    this.#pair?.leave(this, this.index);
    this.#closeTaps();
    this.#channel.closeWith(LEASE_LOST);
  }

  // ---------------------------------------------------------------- one of two input streams

  get inputStreamId(): string | undefined {
    return this.#client.input?.id;
  }

  /** The stream key is that of this ID: an input stream of two, or the live video. */
  get subject(): string {
    return this.inputStreamId ?? this.liveVideoId;
  }

  get index(): InputIndex {
    return this.#client.input?.index ?? 0;
  }

  /** The broadcast is that of this publication: it changes its state, and viewers see it. */
  get isOnAir(): boolean {
    return this.#leases.air !== undefined;
  }

  takeAir({ lease, taps, live, written, dataFlows }: Air): void {
    this.#leases.air = lease;
    this.#live = live;
    this.#taps.hold(taps);
    this.dataFlows = dataFlows;
    this.#judge.standsBy = false;
    this.#writes = Promise.all([this.#writes, written]).then(() => undefined);
    if (this.#isLive) this.#checkpoints.goLive(this.#deps.clock.monotonicMs());
  }

  enterAir(lease: Lease, live: LiveVideo): void {
    const { clock } = this.#deps;
    this.takeAir({ lease: this.#leases.made(lease), taps: [], live, written: Promise.resolve(), dataFlows: false });
    this.#taps.open('publish');
    if (live.data.status === 'LIVE' && !this.#isLive) {
      this.#isLive = true;
      this.#judge.goLive({ wallMs: clock.wallMs(), atMs: clock.monotonicMs() });
    }
    if (this.#isLive) this.#taps.open('live');
    void this.#move({ type: 'publish', wallMs: clock.wallMs(), setup: this.#client.setup, fence: lease.fence });
  }

  show(): void {
    this.#taps.show(this.#judge.openFaults);
    this.#updateKeepsPayload();
  }

  leaveAir(): Air {
    const { air: lease = this.#leases.key } = this.#leases;
    const { dataFlows } = this;
    const air = { lease, dataFlows, taps: this.#taps.release(), live: this.#live, written: this.#writes };
    this.#standBy();
    return air;
  }

  async giveUpAir(): Promise<void> {
    const { air } = this.#leases;
    this.#closeShown();
    await this.#then(() => air?.free() ?? Promise.resolve());
  }

  /** Another process took the air. */
  #loseAir(lost: PublishLease): void {
    if (this.#leases.air !== lost) return;
    this.#pair?.lostAir(this);
    this.#closeShown();
  }

  #closeShown(): void {
    for (const tap of this.#taps.release()) tap.close();
    this.#standBy();
  }

  #standBy(): void {
    this.#leases.air = undefined;
    this.#judge.standsBy = true;
    this.dataFlows = false;
    this.#updateKeepsPayload();
  }

  // ---------------------------------------------------------------- going live

  #firstValidData(atMs: number): void {
    if (!this.isOnAir) return;
    this.dataFlows = true;
    // The judge's clock starts with this packet; the write to the store follows asynchronously.
    if (goesLiveOnPublish(this.#live.data)) this.goLive(atMs);
    void this.#move({ type: 'valid-data', wallMs: this.#deps.clock.wallMs() });
    this.#records.notifyLeftOpen(atMs);
  }

  /** LIVE starts now: the first settings and the 8-hour limit count from this packet. */
  goLive(atMs = this.#deps.clock.monotonicMs()): void {
    if (this.#isLive || !isActive(this.#phase)) return;
    this.#isLive = true;
    this.#judge.goLive({ wallMs: this.#deps.clock.wallMs(), atMs });
    if (!this.isOnAir) return;
    this.#taps.open('live');
    this.#updateKeepsPayload();
    this.#checkpoints.goLive(atMs);
    this.#pair?.wentLive(atMs);
  }

  /** LIVE_NOW was requested in another process. Before the first packet there is nothing to do: it takes effect with it. */
  goLiveIfDataFlows(): void {
    if (this.dataFlows) void this.#move({ type: 'valid-data', wallMs: this.#deps.clock.wallMs() });
  }

  /** Takes over a state that the HTTP interface or a deadline wrote while the stream runs. */
  adopt(live: LiveVideo): void {
    this.#live = live;
    this.#pair?.update(live.data);
    if (live.data.status === 'LIVE') this.goLive();
    else if (live.data.goLiveOnData) this.goLiveIfDataFlows();
  }

  // ---------------------------------------------------------------- the stored broadcast

  /** Runs `write` after everything queued so far. `write` must not reject. */
  #then(write: () => Promise<void>): Promise<void> {
    this.#writes = this.#writes.then(write);
    return this.#writes;
  }

  /** Resolves when this transition and all earlier ones have been committed or dropped. */
  #move(input: LifecycleInput): Promise<void> {
    const { air } = this.#leases;
    if (air === undefined) return this.#writes;
    return this.#then(async () => {
      const written = await this.#states.write(this.#live, input, air.fence, this.#deps, this.#log);
      if (written.is === 'refused') this.#refused(written.why);
      if (written.is === 'superseded') this.#lost(air);
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

  /** The store is back, perhaps without its last changes: those of this session are written again, on what it has now. */
  confirm(): void {
    this.#live = { ...this.#live, version: -1 }; // No object has it, so each write reads.
    void this.#then(async () => {
      const stored = this.isOnAir && isActive(this.#phase) ? await this.#states.find(this.liveVideoId) : undefined;
      for (const input of lostInputs(this.#live, stored, this.#isLive)) void this.#move(input);
      if (stored !== undefined) this.adopt(stored);
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
    const record = this.#closeRecords(this.#leftAt ?? this.#reception.endsAt(reason), reason);
    const codes = this.#judge.judgedCodes();
    this.#pair?.ended(reason);
    // For reports after the end.
    if (this.isOnAir) void this.#then(() => this.#states.tryToKeepJudged(this.liveVideoId, codes, this.#log));
    if (!wasActive) return;
    this.#closeTaps();
    this.#channel.closeWith(broadcastOver(this.liveVideoId, reason, record));
  }

  /**
   * The encoder disconnected: by itself, or `by` the reason that this server gave it. Resolves when the store has the transition
   * and the stream key is free.
   */
  async disconnected(how: DisconnectKind, by?: Interruption): Promise<void> {
    if (this.#leases.isCheckDue) this.verifyLease();
    await this.#leases.settled();
    const isEnding = this.#phase === 'stopping';
    if (this.#enter('gone')) this.#leave(how, by, isEnding);
    await this.#then(() => this.#release());
  }

  /** Open records stay open while the broadcast can resume; one that was never LIVE starts over. */
  #leave(how: DisconnectKind, by: Interruption | undefined, isEnding: boolean): void {
    const at = this.#reception.now;
    this.#leftAt = this.#reception.lastPacket;
    const { isOnAir: wasOnAir } = this;
    const { air } = this.#leases;
    // An end that is being written ends both.
    const goesOn = isEnding ? 'nowhere' : (this.#pair?.leave(this, this.index) ?? 'nowhere');
    const isAlone = wasOnAir && goesOn === 'nowhere';
    this.#judge.disconnect({ ...at, clean: how === 'unpublished' });
    if (this.#isLive && how === 'lost')
      this.#judge.note(SERVICE_CODES.streamInterrupted, { ...(by ?? { observed: 'connection lost' }), atMs: at.atMs });
    if (!this.#isLive || !isAlone) this.#judge.end(at);
    this.#judge.flush();
    this.#takeRecords();
    this.#closeTaps();
    if (goesOn === 'elsewhere') this.#leftTo(air);
    if (isEnding || !isAlone) return;
    const type = how === 'unpublished' ? 'unpublish' : 'connection-lost';
    const graceMs = this.#deps.settings.reconnectGraceMs;
    void this.#move({ type, wallMs: at.wallMs, lastMs: this.#leftAt.wallMs, graceMs });
  }

  /** An input stream of another process takes the air as soon as it is free. */
  #leftTo(air: PublishLease | undefined): void {
    this.#leases.air = undefined;
    void this.#then(async () => {
      await air?.free();
      this.#pair?.tellLeft();
    });
  }

  /** Checkpoints and states of another process must not be overwritten. */
  async #release(): Promise<void> {
    const isOnAir = this.isOnAir;
    const canResume = isOnAir && this.#phase === 'left' && this.#isLive && this.#live.data.status === 'LIVE';
    if (canResume) await this.#checkpoints.save(this.#judge.resume());
    if (this.#phase !== 'superseded') await this.#checkpoints.keepLast(this.health());
    if (this.#pair !== undefined) await this.#leases.air?.free();
    await this.#leases.key.release(this.#live.data.ownerId);
  }

  /** Disconnects the encoder, which may publish again. */
  letGo(reason: CloseReason): void {
    this.#channel.closeWith(reason);
  }
}

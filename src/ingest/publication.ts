/**
 * One accepted publish: the packets of a connection go to the judge, what the judge finds goes to the journal, and the
 * moves of the broadcast go to the store one after the other. The packet path makes no promise and no object.
 */
import type { EndReason, LiveVideoData } from '../broadcast/documents.js';
import type { StreamJudge } from '../broadcast/judge.js';
import { goesLiveOnPublish, type LifecycleInput } from '../broadcast/lifecycle.js';
import type { SkimProgress } from '../bytes/skim-progress.js';
import type { SliceList } from '../bytes/slices.js';
import { type JournalEntry, type Lease, type Log, StoreUnavailableError, type StreamHealth } from '../ports.js';
import type { RecordChange } from '../spec/error-record.js';
import { Checkpoints } from './checkpoints.js';
import type { IngestDeps, MediaTap } from './deps.js';
import { INGEST_LIMITS } from './limits.js';
import type { LiveVideo, Moved, StateWriter } from './state-writer.js';
import { type StatusInfo, StatusPusher, violationStatus } from './status-pusher.js';
import { Taps } from './taps.js';

/** The way back to the encoder. */
export interface EncoderChannel {
  sendStatus(info: StatusInfo): void;
  /** Says why (when there is something to say), waits the grace time, destroys the socket. */
  closeWith(info: StatusInfo | undefined, cause: string): void;
}

/** How a publisher went: in order, without a word, or let go by us (a newer encoder took its key, the server stops). */
export type Departure = 'unpublished' | 'lost' | 'released';

const RETRY_MS = 500;

export interface PublicationOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly judge: StreamJudge;
  readonly channel: EncoderChannel;
  readonly deps: IngestDeps;
  readonly states: StateWriter;
  readonly log: Log;
}

export class Publication {
  readonly liveVideoId: string;
  readonly judge: StreamJudge;
  /** Valid data has arrived: a preview can be published, a waiting broadcast goes LIVE. */
  dataFlows = false;
  /** Monotonic time of the last byte, for take-over. */
  lastDataMs: number;
  #live: LiveVideo;
  readonly #lease: Lease;
  #isLive: boolean;
  #number = 0;
  #ending: EndReason | undefined;
  #closed = false;
  /** Its connection went before the broadcast was over. */
  #hasLeft = false;
  #finished = false;
  #moves: Promise<void> = Promise.resolve();
  readonly #channel: EncoderChannel;
  readonly #deps: IngestDeps;
  readonly #states: StateWriter;
  readonly #log: Log;
  readonly #pusher: StatusPusher;
  readonly #seenKinds = new Set<number>();
  readonly #taps: Taps;
  readonly #checkpoints: Checkpoints;

  constructor(options: PublicationOptions) {
    this.liveVideoId = options.live.id;
    this.judge = options.judge;
    this.#live = options.live;
    this.#lease = options.lease;
    this.#channel = options.channel;
    this.#deps = options.deps;
    this.#states = options.states;
    this.#log = options.log;
    this.#isLive = options.live.data.status === 'LIVE';
    const { openErrors } = options.judge.health();
    this.#pusher = new StatusPusher(options.live.id, (info) => this.#channel.sendStatus(info), openErrors);
    this.lastDataMs = options.deps.clock.monotonicMs();
    this.#taps = new Taps(options.deps.buffers);
    this.#checkpoints = new Checkpoints(options.live.id, options.deps.store, options.log, {
      resume: () => this.judge.resume(),
      health: () => this.health(),
    });
    this.#taps.open(this.#deps.taps, this.liveVideoId, 'publish');
    if (this.#isLive) this.#taps.open(this.#deps.taps, this.liveVideoId, 'live');
  }

  get lease(): Lease {
    return this.#lease;
  }

  get status(): LiveVideoData['status'] {
    return this.#live.data.status;
  }

  // ---------------------------------------------------------------- packets

  /** Until it is LIVE the next packet may be the first of a recording. */
  get keepsPayload(): boolean {
    return this.#taps.keepPayload || (!this.#isLive && this.#deps.settings.record);
  }

  skimVideo(payload: SliceList, progress: SkimProgress): boolean {
    return !this.keepsPayload && this.judge.skimVideo(payload, progress);
  }

  video(payload: SliceList, timestampMs: number, messageNumber: number, byteOffset: number, atMs: number): void {
    if (this.#closed || this.#ending !== undefined) return;
    this.judge.video(payload, timestampMs, messageNumber, byteOffset, atMs);
    // Before the taps: the packet that makes it LIVE, as a rule the first key frame, is the first of the recording.
    if (!this.dataFlows && this.judge.valid) this.#onValidData(atMs);
    this.#taps.packet('video', timestampMs, payload);
    this.#afterPacket(atMs);
  }

  audio(payload: SliceList, timestampMs: number, messageNumber: number, byteOffset: number, atMs: number): void {
    if (this.#closed || this.#ending !== undefined) return;
    this.judge.audio(payload, timestampMs, messageNumber, byteOffset, atMs);
    if (!this.dataFlows && this.judge.valid) this.#onValidData(atMs);
    this.#taps.packet('audio', timestampMs, payload);
    this.#afterPacket(atMs);
  }

  metadata(value: unknown, timestampMs: number, payload: SliceList, atMs: number): void {
    if (this.#closed || this.#ending !== undefined) return;
    this.judge.metadata(value, atMs);
    this.#taps.packet('data', timestampMs, payload);
    this.#afterPacket(atMs);
  }

  #afterPacket(atMs: number): void {
    this.lastDataMs = atMs;
    if (this.judge.changed) this.#onChanges();
    if (this.judge.ended !== undefined) this.#onJudgedOver(this.judge.ended);
  }

  // ---------------------------------------------------------------- time

  tick(wallMs: number, atMs: number): void {
    if (this.#closed) return;
    this.judge.tick({ wallMs, atMs });
    if (this.judge.changed) this.#onChanges();
    if (this.judge.ended !== undefined && this.#ending === undefined) this.#onJudgedOver(this.judge.ended);
    this.#pusher.flush(atMs);
    this.#checkpoints.tick(atMs, this.#isLive);
  }

  health(): StreamHealth {
    return { ...this.judge.health(), atMs: this.#deps.clock.wallMs(), connected: !this.#closed };
  }

  // ---------------------------------------------------------------- records

  #onChanges(): void {
    for (const change of this.judge.takeChanges()) {
      this.#number++;
      this.#logFirst(change);
      this.#deps.errors.record({
        broadcastId: this.liveVideoId,
        fence: this.#lease.fence,
        number: this.#number,
        change,
      });
    }
  }

  /** After the journal has it: said to the encoder, unless it is the reason of an end, which is said when the end stands. */
  onJournalled(entry: JournalEntry): void {
    if (this.#closed || this.#ending?.code === entry.change.body.error_code) return;
    this.#pusher.push(entry.change, this.#deps.clock.monotonicMs());
  }

  #logFirst({ change, body }: RecordChange): void {
    if (change !== 'raised' || this.#seenKinds.has(body.error_code)) return;
    this.#seenKinds.add(body.error_code);
    this.#log.warn(
      { error_code: body.error_code, error_type: body.error_type, stream_time_ms: body.stream_time_ms },
      body.description,
    );
  }

  // ---------------------------------------------------------------- moves

  #onValidData(atMs: number): void {
    this.dataFlows = true;
    // The judge starts its clock with this very packet; the store is told in its own time.
    if (goesLiveOnPublish(this.#live.data)) this.goLive(atMs);
    this.#move({ type: 'valid-data', atMs: this.#deps.clock.wallMs() });
    this.#pusher.pushLeftOpen(this.judge, atMs);
  }

  /** LIVE begins here and now: first settings and the 8 hours count from this packet. */
  goLive(atMs = this.#deps.clock.monotonicMs()): void {
    if (this.#isLive || this.#closed) return;
    this.#isLive = true;
    this.judge.goLive({ wallMs: this.#deps.clock.wallMs(), atMs });
    this.#taps.open(this.#deps.taps, this.liveVideoId, 'live');
    this.#checkpoints.begin(atMs);
  }

  #onJudgedOver(over: { readonly code: number; readonly type: string; readonly text: string }): void {
    if (this.#ending !== undefined) return;
    const reason: EndReason = { code: over.code, type: over.type, text: over.text };
    this.#ending = reason;
    this.#move({ type: 'stop', atMs: this.#deps.clock.wallMs(), reason });
  }

  /** The broadcast is over (decided here or elsewhere): close the records, tell the encoder, let it go. */
  end(reason: EndReason | undefined): void {
    // Its connection has just gone and the key is still held: nobody else closes the records.
    if (this.#hasLeft && !this.#finished) {
      this.#finalRecord(reason);
      this.#finish();
    }
    if (this.#closed) return;
    this.#ending ??= reason;
    const body = this.#finalRecord(reason);
    this.#finish();
    this.#closed = true;
    this.#taps.close();
    const description = reason?.text ?? 'The broadcast was ended by its owner.';
    this.#channel.closeWith(
      body === undefined
        ? { level: 'error', code: 'NetStream.Publish.Rejected', description }
        : violationStatus(this.liveVideoId, body, 'error', 'NetStream.Publish.Rejected'),
      reason?.type ?? 'ended',
    );
  }

  /** The record that goes with the end; a stop from outside has none yet and gets it here. */
  #finalRecord(reason: EndReason | undefined): RecordChange['body'] | undefined {
    if (reason === undefined || reason.code === 0) return undefined;
    if (reason.code === 6601) {
      this.judge.note(6601, { observed: reason.text, atMs: this.#deps.clock.monotonicMs() });
      this.#onChanges();
    }
    return this.judge.lastRecord(reason.code);
  }

  /** The connection has gone. Resolves when the store has taken it and the key is free. */
  disconnected(how: Departure): Promise<void> {
    const clean = how === 'unpublished';
    const { clock } = this.#deps;
    const at = { atMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    if (!this.#closed) {
      this.#closed = true;
      this.#hasLeft = true;
      this.judge.disconnect({ ...at, clean });
      if (this.#isLive && how === 'lost') this.judge.note(6503, { observed: 'connection lost', atMs: at.atMs });
      if (!this.#isLive) this.judge.end(at);
      this.#onChanges();
      this.#taps.close();
      if (this.#ending === undefined) {
        const graceMs = this.#deps.settings.reconnectGraceMs;
        this.#move({ type: clean ? 'unpublish' : 'connection-lost', atMs: at.wallMs, graceMs });
      }
    }
    this.#moves = this.#moves.then(async () => {
      if (this.#isLive && this.#live.data.status === 'LIVE') await this.#checkpoints.save();
      await this.#deps.store.release(this.#lease).catch((error: unknown) => {
        this.#log.debug({ error }, 'the lease could not be released; it ends by itself');
      });
    });
    return this.#moves;
  }

  /** Resolves when the moves asked for so far are in the store. */
  settled(): Promise<void> {
    return this.#moves;
  }

  begin(): Promise<void> {
    this.#move({ type: 'publish', atMs: this.#deps.clock.wallMs() });
    return this.#moves;
  }

  #move(input: LifecycleInput): void {
    this.#moves = this.#moves.then(() => this.#persist(input));
  }

  /** One move, again and again while the store is away: an end that was decided must stand. */
  async #persist(input: LifecycleInput): Promise<void> {
    for (;;) {
      try {
        const moved = await this.#states.move(this.liveVideoId, input);
        this.#live = moved.live;
        this.#carryOut(moved);
        return;
      } catch (error) {
        if (error instanceof StoreUnavailableError) {
          if (await this.#deps.pause(RETRY_MS)) continue;
          // Shutting down without a store: the next process finds the broadcast without a holder and goes on from there.
          return;
        }
        // Somebody else ended or deleted it meanwhile.
        this.#log.info({ input: input.type, error }, 'the broadcast took no such move any more');
        this.end(this.#ending);
        return;
      }
    }
  }

  #carryOut({ effects }: Moved): void {
    for (const effect of effects) {
      if (effect.effect === 'went-live') this.goLive();
      if (effect.effect === 'close-publisher') this.end(effect.reason);
      if (effect.effect === 'ended') this.#deps.onEnded?.(this.#live);
    }
  }

  /** Closes the records, once, and keeps which rules were judged: for whoever looks at the broadcast later. */
  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    const { clock } = this.#deps;
    this.judge.end({ atMs: clock.monotonicMs(), wallMs: clock.wallMs() });
    this.#onChanges();
    const judged = this.judge.judgedCodes();
    const keep = () => this.#states.keepJudged(this.liveVideoId, judged);
    this.#moves = this.#moves.then(keep).catch((error: unknown) => {
      this.#log.warn({ error }, 'which rules were judged could not be kept');
    });
  }

  /** The state was changed through the HTTP interface or by a deadline while the stream runs. */
  adopt(live: LiveVideo): void {
    this.#live = live;
    if (live.data.status === 'LIVE') this.goLive();
  }

  /** Something that the service found out about this broadcast, for its error log. */
  note(code: number, observed: string): void {
    if (this.#closed) return;
    this.judge.note(code, { observed, atMs: this.#deps.clock.monotonicMs() });
    this.#onChanges();
  }

  /** Silent for too long: a newer connection with the key takes over. */
  giveWay(): void {
    const description = 'Another encoder took over this stream key because this connection had been silent.';
    this.#channel.closeWith({ level: 'error', code: 'NetStream.Publish.BadName', description }, 'taken-over');
  }

  // ---------------------------------------------------------------- lease

  async renewLease(): Promise<void> {
    if (this.#closed) return;
    try {
      if (await this.#deps.store.renew(this.#lease, INGEST_LIMITS.leaseMs)) return;
      // It ran out while the store was away; it is still ours when nobody has held the key since.
      if (await this.#deps.store.reclaim(this.#lease, INGEST_LIMITS.leaseMs)) return;
      this.#closed = true;
      this.#taps.close();
      const description =
        'Another server took this broadcast over while this one could not reach the store. Reconnect.';
      this.#channel.closeWith({ level: 'error', code: 'NetStream.Publish.Rejected', description }, 'lease-lost');
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }

  // ---------------------------------------------------------------- taps

  /** False: the stream is over. */
  attachTap(tap: MediaTap): boolean {
    if (this.#closed || this.#ending !== undefined) return false;
    this.#taps.attach(tap);
    return true;
  }

  detachTap(tap: MediaTap): void {
    this.#taps.detach(tap);
  }
}

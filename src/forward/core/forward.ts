/**
 * One forward as a function of its input and of time: whether it is connected, what it sends next, and what is said of it. It
 * opens no socket: its owner asks `wantsConnection` and `isConnected` after each input, and tells what became of the connection.
 */
import { defined } from '../../lib/objects.js';
import { inTrack } from '../../media/flv/track-messages.js';
import type { ForwardNotice, ForwardState, ForwardWhen } from '../../ports/index.js';
import { Continuity, SEAM_MS } from './continuity.js';
import { FORWARD_LIMITS } from './limits.js';
import type { Packet, PacketKind } from './packets.js';
import { type Headers, PacketQueue, type Queued, type TrackHeader } from './queue.js';

export interface ForwardTerms {
  readonly isEnabled: boolean;
  readonly when: ForwardWhen;
}

/** A status message of a target, word for word. */
export interface TargetStatus {
  readonly level: string;
  readonly code: string;
  readonly description: string;
  readonly atMs: number;
}

export interface Outgoing {
  readonly kind: PacketKind;
  /** Time of the connection. */
  readonly timestampMs: number;
  readonly bytes: Uint8Array;
  /** When it arrived, on the monotonic clock. */
  readonly atMs: number;
}

/** Times are on the monotonic clock. */
export interface ForwardView {
  readonly state: ForwardState;
  readonly sinceMs: number;
  /** Attempts since it last published. */
  readonly attempts: number;
  readonly nextTryMs?: number;
  readonly lastStatus?: TargetStatus;
  /** Why nothing is sent, in our words. */
  readonly reason?: string;
  /** Codes of the open errors that hold it. */
  readonly heldBy?: readonly number[];
  readonly bytesSent: number;
  readonly sentKbps: number;
  readonly lagMs: number;
  readonly droppedMs: number;
}

type Connection =
  | { readonly is: 'none' }
  | { readonly is: 'connecting'; readonly sinceMs: number }
  | { readonly is: 'publishing'; readonly sinceMs: number };

/** Where the next packet goes on. */
type Cursor =
  /** At the next key frame, as the first packet of a connection. */
  | 'connection'
  /** At the next key frame, without a gap in time. */
  | 'seam'
  /** At the next key frame, at its time. */
  | 'gap'
  /** Packet by packet. */
  | 'flowing';

/** In the order in which they are sent. */
const HEADERS = [
  ['data', 'metadata'],
  ['video', 'video'],
  ['audio', 'audio'],
] as const;
const NONE: Connection = { is: 'none' };
const NOTHING_OPEN: readonly number[] = [];

export class Forward {
  #terms: ForwardTerms;
  readonly #random: () => number;
  readonly #continuity = new Continuity();
  readonly #queue = new PacketQueue();

  /** A stream that is LIVE arrives. */
  #isFed = false;
  #openErrors = NOTHING_OPEN;
  /** Since when there is a stream without an open error. */
  #cleanSinceMs: number | undefined;
  /** It has been healthy for long enough once. */
  #isProven = false;
  #latest: Headers = {};
  /** Packets go into the queue: a key frame was the first. */
  #isQueueing = false;
  #hasVideo = false;
  #audioPackets = 0;
  /** Sound that came before the first key frame. */
  #early: Queued[] = [];
  /** Time of the newest packet. */
  #queuedMs = 0;

  #connection: Connection = NONE;
  /** The target that accepted the last publish takes several tracks. */
  #takesTracks = true;
  #failure: { readonly as: 'retrying' | 'refused'; readonly reason: string; readonly nextTryMs: number } | undefined;
  #failures = 0;
  #attempts = 0;
  /** When a connection that published was lost. */
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #refusedFor: string | undefined;
  #lastStatus: TargetStatus | undefined;

  #cursor: Cursor = 'connection';
  /** Headers that were sent over this connection. */
  #sent: Headers = {};
  #ahead: Outgoing[] = [];
  /** Time of the connection at time 0 of the broadcast. */
  #originMs = 0;
  /** Where it last went on, in time of the broadcast. */
  #fromMs = 0;
  #lastTimeMs: number | undefined;
  readonly #lastOut = new Map<PacketKind, number>();
  #lastOutMs = 0;

  #bytesSent = 0;
  #droppedMs = 0;
  /** Bytes handed to the kernel, when they last grew. */
  #taken = 0;
  #takenAtMs = 0;
  #isPending = false;
  #inFlightSinceMs: number | undefined;
  #behindUntilMs = Number.NEGATIVE_INFINITY;
  #rates: { readonly atMs: number; readonly bytes: number }[] = [];

  #state: ForwardState = 'waiting';
  #sinceMs: number;
  #notices: ForwardNotice[] = [];

  constructor(terms: ForwardTerms, atMs: number, random: () => number) {
    this.#terms = terms;
    this.#random = random;
    this.#sinceMs = atMs;
    this.#settle(atMs);
  }

  // ---------------------------------------------------------------- what it is told

  change(terms: ForwardTerms, atMs: number): void {
    this.#terms = terms;
    if (!this.#maySend(atMs)) this.#hold();
    if (!terms.isEnabled) this.#close();
    this.#settle(atMs);
  }

  /**
   * A stream that is LIVE begins, also one that begins again after its encoder had gone. `isResumed`: another process may have
   * sent its beginning, whose connection the target still has.
   */
  begin(atMs: number, isResumed = false): void {
    if (isResumed) this.#lostAtMs = Math.max(this.#lostAtMs, atMs);
    this.#isFed = true;
    this.#isQueueing = false;
    this.#early = [];
    this.#hasVideo = false;
    this.#audioPackets = 0;
    this.#continuity.seam();
    if (this.#openErrors.length === 0) this.#cleanSinceMs ??= atMs;
    this.#settle(atMs);
  }

  /** The encoder has gone; it may come back. */
  pause(atMs: number): void {
    this.#isFed = false;
    this.#isQueueing = false;
    this.#cleanSinceMs = undefined;
    this.#settle(atMs);
  }

  /** The broadcast is over: the next one is another stream. */
  end(atMs: number): void {
    this.pause(atMs);
    this.#isProven = false;
    this.#openErrors = NOTHING_OPEN;
    this.#latest = {};
    this.#failure = undefined;
    this.#failures = 0;
    this.#attempts = 0;
    this.#refusedFor = undefined;
    this.#queue.clear();
    this.#close();
    this.#settle(atMs);
  }

  /** Codes of the open errors of the stream. */
  errors(codes: readonly number[], atMs: number): void {
    this.#openErrors = codes;
    if (codes.length > 0) this.#cleanSinceMs = undefined;
    else if (this.#isFed) this.#cleanSinceMs ??= atMs;
    if (!this.#maySend(atMs)) this.#hold();
    this.#settle(atMs);
  }

  packet(packet: Packet): void {
    if (!this.#isFed || !this.#terms.isEnabled) return;
    if (packet.role === 'metadata' || packet.role === 'header') this.#latest = withHeader(this.#latest, packet);
    if (packet.track !== 0) {
      this.#ofOtherTrack(packet);
      return;
    }
    this.#hasVideo ||= packet.kind === 'video' && packet.role !== 'header';
    if (packet.kind === 'audio' && packet.role === 'other') this.#audioPackets++;
    const timeMs = packet.kind === 'data' ? 0 : this.#continuity.at(packet.kind, packet.timestampMs);
    if (!this.#maySend(packet.atMs)) return;
    const isStart = this.#isStart(packet);
    const queued: Queued = { ...packet, timeMs: packet.kind === 'data' ? this.#queuedMs : timeMs };
    if (isStart) this.#start(queued);
    else if (this.#isQueueing) this.#queue.push(queued);
    else if (packet.kind === 'audio' && packet.role === 'other') this.#keepEarly(queued);
    if (packet.kind !== 'data') this.#queuedMs = timeMs;
    if (this.#queue.isOver(packet.atMs)) this.#cut(packet.atMs);
  }

  /** It neither begins a stream nor advances its time. */
  #ofOtherTrack(packet: Packet): void {
    if (!this.#takesTracks || !this.#isQueueing || !this.#maySend(packet.atMs)) return;
    this.#queue.push({ ...packet, timeMs: this.#continuity.beside(packet.timestampMs) ?? this.#queuedMs });
    if (this.#queue.isOver(packet.atMs)) this.#cut(packet.atMs);
  }

  #start(packet: Queued): void {
    // While no connection comes about, only the newest pictures are of use.
    if (this.#connection.is === 'none' && this.#failure !== undefined) this.#queue.clear();
    this.#queue.push({ ...packet, headers: this.#latest });
    this.#isQueueing = true;
    for (const early of this.#early) if (early.timeMs >= packet.timeMs) this.#queue.push(early);
    this.#early = [];
  }

  /** Sound of the first picture may arrive before it. */
  #keepEarly(packet: Queued): void {
    this.#early.push(packet);
    if (this.#early.length > FORWARD_LIMITS.earlyPackets) this.#early.shift();
  }

  #isStart({ kind, role }: Packet): boolean {
    if (role === 'key') return true;
    return (
      kind === 'audio' && role === 'other' && !this.#hasVideo && this.#audioPackets > FORWARD_LIMITS.audioOnlyPackets
    );
  }

  /** Bytes of other forwards of the owner need the room. */
  cutForRoom(atMs: number): void {
    this.#cut(atMs);
  }

  #cut(atMs: number): void {
    if (!this.#queue.cut()) this.#isQueueing = false;
    if (this.#cursor === 'flowing') this.#cursor = 'gap';
    if (this.#connection.is !== 'publishing') return;
    if (this.#behindUntilMs <= atMs)
      this.#notices.push({ what: 'behind', observed: `more than ${FORWARD_LIMITS.queueMs / 1000} s of it waited` });
    this.#behindUntilMs = atMs + FORWARD_LIMITS.behindMs;
    this.#settle(atMs);
  }

  // ---------------------------------------------------------------- the connection

  /** A connection is to be opened now. */
  wantsConnection(atMs: number): boolean {
    const isDue = (this.#failure?.nextTryMs ?? 0) <= atMs;
    return this.#connection.is === 'none' && this.#isFed && this.#maySend(atMs) && isDue && !this.#queue.isEmpty;
  }

  /** False: a connection that is open is to be closed. */
  get isConnected(): boolean {
    return this.#connection.is !== 'none';
  }

  connecting(atMs: number): void {
    this.#attempts++;
    this.#connection = { is: 'connecting', sinceMs: atMs };
    this.#settle(atMs);
  }

  /** The target has accepted the publish. `takesTracks`: it says that it reads several tracks. */
  opened(atMs: number, takesTracks = false): void {
    this.#connection = { is: 'publishing', sinceMs: atMs };
    this.#takesTracks = takesTracks;
    this.#failure = undefined;
    this.#refusedFor = undefined;
    this.#attempts = 0;
    this.#cursor = 'connection';
    this.#sent = {};
    this.#ahead = [];
    this.#lastOut.clear();
    this.#lastOutMs = 0;
    this.#taken = 0;
    this.#takenAtMs = atMs;
    this.#isPending = false;
    this.#behindUntilMs = Number.NEGATIVE_INFINITY;
    this.#settle(atMs);
  }

  said(status: TargetStatus): void {
    this.#lastStatus = status;
  }

  /** The target refused the connection or the publish. */
  refused(status: TargetStatus, reason: string, atMs: number): void {
    this.#lastStatus = status;
    if (this.#connection.is === 'none') return;
    const isLeftOver = status.code === 'NetStream.Publish.BadName' && atMs - this.#lostAtMs < FORWARD_LIMITS.leftOverMs;
    if (isLeftOver) {
      this.lost(reason, atMs);
      return;
    }
    this.#close();
    this.#fail('refused', reason, FORWARD_LIMITS.refusedRetryMs, atMs);
    if (this.#refusedFor === reason) return;
    this.#refusedFor = reason;
    this.#notices.push({ what: 'refused', observed: reason });
  }

  /** No connection came about, or it has ended. */
  lost(reason: string, atMs: number): void {
    const was = this.#connection;
    if (was.is === 'none') return;
    this.#close();
    // Nothing was to be sent: it is opened again when there is.
    if (!this.#isFed || !this.#maySend(atMs)) {
      this.#settle(atMs);
      return;
    }
    if (was.is === 'publishing') {
      this.#lostAtMs = atMs;
      if (atMs - was.sinceMs >= FORWARD_LIMITS.soundMs) this.#failures = 0;
    }
    const isNews = was.is === 'publishing' || this.#failures === 0;
    const { firstRetryMs, longestRetryMs } = FORWARD_LIMITS;
    const pauseMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.#failures, 10));
    this.#failures++;
    this.#fail('retrying', reason, pauseMs, atMs);
    if (isNews) this.#notices.push({ what: 'lost', observed: reason });
  }

  #fail(as: 'retrying' | 'refused', reason: string, pauseMs: number, atMs: number): void {
    const jitter = 1 + FORWARD_LIMITS.jitter * (2 * this.#random() - 1);
    this.#failure = { as, reason, nextTryMs: atMs + pauseMs * jitter };
    this.#settle(atMs);
  }

  #close(): void {
    this.#connection = NONE;
    this.#cursor = 'connection';
    this.#ahead = [];
    this.#inFlightSinceMs = undefined;
    this.#isPending = false;
  }

  // ---------------------------------------------------------------- time

  tick(atMs: number): void {
    const connection = this.#connection;
    if (connection.is === 'connecting' && atMs - connection.sinceMs >= FORWARD_LIMITS.connectMs)
      this.lost(`no answer within ${FORWARD_LIMITS.connectMs / 1000} s`, atMs);
    else if (connection.is === 'publishing' && this.#isPending && atMs - this.#takenAtMs >= FORWARD_LIMITS.stallMs)
      this.lost(`the target took nothing for ${FORWARD_LIMITS.stallMs / 1000} s`, atMs);
    const since = this.#cleanSinceMs;
    if (since !== undefined && atMs - since >= FORWARD_LIMITS.healthyMs) this.#isProven = true;
    if (!this.#maySend(atMs)) this.#hold();
    this.#rates = this.#rates.filter((each) => atMs - each.atMs < FORWARD_LIMITS.rateMs);
    this.#rates.push({ atMs, bytes: this.#bytesSent });
    this.#settle(atMs);
  }

  #maySend(atMs: number): boolean {
    if (!this.#terms.isEnabled) return false;
    if (this.#terms.when === 'always') return true;
    if (this.#openErrors.length > 0) return false;
    const since = this.#cleanSinceMs;
    return this.#isProven || (since !== undefined && atMs - since >= FORWARD_LIMITS.healthyMs);
  }

  /** Nothing goes out; later it goes on at a key frame, without a gap in time. */
  #hold(): void {
    this.#queue.clear();
    this.#isQueueing = false;
    this.#early = [];
    this.#ahead = [];
    this.#lastTimeMs = undefined;
    if (this.#cursor !== 'connection') this.#cursor = 'seam';
  }

  /** `taken`: bytes of this connection that the kernel has; `inFlightSinceMs`: when the oldest packet that it lacks arrived. */
  progress(taken: number, inFlightSinceMs: number | undefined, atMs: number): void {
    if (taken !== this.#taken || inFlightSinceMs === undefined) {
      this.#taken = taken;
      this.#takenAtMs = atMs;
    }
    this.#isPending = inFlightSinceMs !== undefined;
    this.#inFlightSinceMs = inFlightSinceMs;
  }

  // ---------------------------------------------------------------- what goes out

  /** The next message for the target; undefined: there is none now. */
  next(): Outgoing | undefined {
    if (this.#connection.is !== 'publishing') return undefined;
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) return this.#count(ahead);
    for (let packet = this.#queue.take(); packet !== undefined; packet = this.#queue.take()) {
      const { headers, kind, role } = packet;
      if (this.#cursor !== 'flowing') {
        if (headers === undefined) continue;
        this.#align(packet);
      }
      if (packet.track !== 0 && !this.#takesTracks) continue;
      // Sound of before the first picture, and other tracks.
      if ((kind !== 'video' || packet.track !== 0) && packet.timeMs < this.#fromMs) continue;
      if (headers !== undefined && headers !== this.#sent) {
        this.#sendHeaders(packet, headers);
        this.#ahead.push(this.#outgoing(packet));
        return this.next();
      }
      if (role === 'metadata' || role === 'header') {
        const before = this.#sent;
        this.#sent = withHeader(before, packet);
        if (this.#sent === before) continue;
      }
      return this.#count(this.#outgoing(packet));
    }
    return undefined;
  }

  /** Decides at which time of the connection it goes on. */
  #align({ timeMs }: Queued): void {
    if (this.#cursor === 'connection') this.#originMs = -timeMs;
    else if (this.#cursor === 'seam') this.#originMs = this.#lastOutMs + SEAM_MS - timeMs;
    if (this.#cursor !== 'seam' && this.#lastTimeMs !== undefined)
      this.#droppedMs += Math.max(0, timeMs - this.#lastTimeMs - SEAM_MS);
    this.#cursor = 'flowing';
    this.#fromMs = timeMs;
  }

  /** Those that the target does not have. */
  #sendHeaders({ timeMs, atMs }: Queued, headers: Headers): void {
    const sent = this.#sent;
    const timestampMs = this.#timeOf('data', timeMs);
    for (const [kind, name] of HEADERS) {
      const bytes = headers[name];
      if (bytes !== undefined && !isSame(bytes, sent[name])) this.#ahead.push({ kind, timestampMs, bytes, atMs });
    }
    for (const header of this.#takesTracks ? (headers.others ?? []) : [])
      if (withOther(sent, header) !== sent)
        this.#ahead.push({ kind: header.kind, timestampMs, bytes: sentBytes(header), atMs });
    this.#sent = headers;
  }

  #outgoing(packet: Queued): Outgoing {
    const { kind, timeMs, atMs } = packet;
    if (kind !== 'data') this.#lastTimeMs = Math.max(this.#lastTimeMs ?? timeMs, timeMs);
    return { kind, timestampMs: this.#timeOf(kind, timeMs), bytes: sentBytes(packet), atMs };
  }

  /** Never before the last one of its track. */
  #timeOf(kind: PacketKind, timeMs: number): number {
    const outMs = Math.max(0, timeMs + this.#originMs, this.#lastOut.get(kind) ?? 0);
    this.#lastOut.set(kind, outMs);
    this.#lastOutMs = Math.max(this.#lastOutMs, outMs);
    return outMs;
  }

  #count(out: Outgoing): Outgoing {
    this.#bytesSent += out.bytes.length;
    return out;
  }

  get queuedBytes(): number {
    return this.#queue.bytes;
  }

  // ---------------------------------------------------------------- what is said of it

  takeNotices(): readonly ForwardNotice[] {
    const notices = this.#notices;
    if (notices.length > 0) this.#notices = [];
    return notices;
  }

  get state(): ForwardState {
    return this.#state;
  }

  #settle(atMs: number): void {
    const state = this.#stateNow(atMs);
    if (state === this.#state) return;
    this.#state = state;
    this.#sinceMs = atMs;
  }

  #stateNow(atMs: number): ForwardState {
    if (!this.#terms.isEnabled) return 'off';
    if (!this.#isFed) return 'waiting';
    if (this.#terms.when === 'healthy' && this.#openErrors.length > 0) return 'held';
    if (!this.#maySend(atMs)) return 'waiting';
    if (this.#connection.is === 'publishing') return this.#behindUntilMs > atMs ? 'behind' : 'sending';
    if (this.#failure !== undefined) return this.#failure.as;
    return this.#connection.is === 'connecting' ? 'connecting' : 'waiting';
  }

  view(atMs: number): ForwardView {
    const state = this.#state;
    const isFailing = state === 'retrying' || state === 'refused';
    const nextTryMs = isFailing && this.#connection.is === 'none' ? this.#failure?.nextTryMs : undefined;
    const [oldest] = this.#rates;
    const spanMs = oldest === undefined ? 0 : atMs - oldest.atMs;
    const oldestMs = this.#inFlightSinceMs ?? this.#queue.first?.atMs;
    return {
      state,
      sinceMs: this.#sinceMs,
      attempts: this.#attempts,
      ...defined({
        nextTryMs,
        lastStatus: this.#lastStatus,
        reason: isFailing ? this.#failure?.reason : undefined,
        heldBy: state === 'held' ? this.#openErrors : undefined,
      }),
      bytesSent: this.#bytesSent,
      sentKbps: oldest === undefined || spanMs <= 0 ? 0 : Math.round((8 * (this.#bytesSent - oldest.bytes)) / spanMs),
      lagMs: this.#connection.is === 'publishing' && oldestMs !== undefined ? Math.round(atMs - oldestMs) : 0,
      droppedMs: Math.round(this.#droppedMs),
    };
  }
}

/** Tracks beside the first have the multitrack form, in which encoders send them. */
function sentBytes({ kind, track, bytes }: Pick<Packet, 'kind' | 'track' | 'bytes'>): Uint8Array {
  return track === 0 || kind === 'data' ? bytes : (inTrack(kind, track, bytes) ?? bytes);
}

/** Unchanged if the header is the one that is known. */
function withHeader(known: Headers, { kind, role, track, bytes }: Packet): Headers {
  if (track !== 0 && kind !== 'data') return withOther(known, { kind, track, bytes });
  const name = role === 'metadata' ? 'metadata' : kind === 'video' ? 'video' : 'audio';
  return isSame(bytes, known[name]) ? known : { ...known, [name]: bytes };
}

function withOther(known: Headers, header: TrackHeader): Headers {
  const isOf = ({ kind, track }: TrackHeader): boolean => kind === header.kind && track === header.track;
  const { others = [] } = known;
  if (isSame(header.bytes, others.find(isOf)?.bytes)) return known;
  return { ...known, others: [...others.filter((each) => !isOf(each)), header] };
}

function isSame(bytes: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && bytes.length === other.length && bytes.every((value, at) => value === other[at]);
}

/** Compares samples of running broadcasts with the references, in the process that opens media. */
import { randomUUID } from 'node:crypto';
import { MATCH, PRINT } from '../copyright/limits.js';
import type { HashedPicture } from '../copyright/pictures.js';
import { type Print, parsePrint } from '../copyright/prints.js';
import { StreamMatcher } from '../copyright/stream-matcher.js';
import { isCode } from '../lib/errors.js';
import { defined } from '../lib/objects.js';
import type { LiveVideoData } from '../lifecycle/documents.js';
import { BACK_POINTER_BYTES, FILE_START_BYTES, TAG_HEADER_BYTES } from '../media/flv/sizes.js';
import type { Clock, HeardSample } from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
import { videoPrefix } from '../store/blobs/blob-key.js';
import { DETECTOR, SOUND_SAMPLE } from './limits.js';
import { changeDetails, detailsOf, keepMatches } from './matches.js';
import { type PictureWitnessDeps, witnessedLive } from './picture-witness.js';
import type { ReferenceIndex } from './reference-index.js';
import type { SoundSample } from './sound-tap.js';
import type { Checked } from './sound-taps.js';
import { type Turn, type TurnCounts, Turns } from './turns.js';

export interface StreamDetectorDeps extends PictureWitnessDeps {
  readonly clock: Clock;
  readonly references: ReferenceIndex;
}

export interface DetectorCounts {
  samples: number;
  matches: number;
  /** Nothing was compared: no reference applies to the owner. */
  passed: number;
  failed: number;
}

interface Heard {
  readonly sample: SoundSample;
  readonly flv: Uint8Array;
}

/** A session of a broadcast. */
interface Followed {
  readonly matcher: StreamMatcher;
  /** Start of the last sample after which more was wanted. */
  wantedMs: number;
  /** That sample: what confirms the match is shorter. */
  heard: Heard | undefined;
}

interface Printed {
  readonly print: Print;
  readonly isStarted: boolean;
}

export class StreamDetector {
  readonly counts: DetectorCounts = { samples: 0, matches: 0, passed: 0, failed: 0 };
  readonly #deps: StreamDetectorDeps;
  readonly #turns: Turns;
  /** By session, the one used last at the end. */
  readonly #followed = new Map<string, Followed>();
  /** Bounds for a broadcast, also when its encoder connects again, and for all broadcasts of an owner. */
  readonly #ofBroadcasts = new HourlyBound(DETECTOR.matchesPerHour);
  readonly #ofOwners = new HourlyBound(DETECTOR.matchesOfOwnerPerHour);

  constructor(deps: StreamDetectorDeps) {
    this.#deps = deps;
    this.#turns = new Turns(deps.prints.share);
  }

  get turns(): TurnCounts {
    return this.#turns.counts(this.#deps.clock.monotonicMs());
  }

  /** Matches that this sample confirms, and when its broadcast sends the next. */
  async check(sample: SoundSample, flv: Uint8Array): Promise<Checked> {
    const { store, references, clock } = this.#deps;
    const { session, liveVideoId } = sample;
    if (!this.#turns.admits(session, clock.monotonicMs())) return { matches: [], isSkipped: true };
    const live = await store.objects.get<LiveVideoData>(liveVideoId);
    const ownerId = live?.data.ownerId;
    if (ownerId === undefined || !references.current.appliesTo(ownerId)) {
      this.counts.passed++;
      return { matches: [] };
    }
    this.counts.samples++;
    const next = sample.isPart ? undefined : this.#turns.next(session, clock.monotonicMs());
    const followed = this.#follow(session, ownerId);
    const found = await this.#search(followed, sample, flv, ownerId);
    if (found === undefined)
      return { matches: [], isSkipped: true, next: this.#turns.fail(session, clock.monotonicMs()) };
    const nowMs = clock.monotonicMs();
    const reported = found
      .filter(() => this.#ofBroadcasts.admits(liveVideoId, nowMs) && this.#ofOwners.admits(ownerId, nowMs))
      .map(detailsOf);
    this.counts.matches += reported.length;
    if (reported.length > 0) {
      const heard = await this.#keepSample(live?.data.videoId, (sample.isPart && followed.heard) || { sample, flv });
      await keepMatches(store.objects, { id: liveVideoId, ownerId }, reported, clock.wallMs(), heard);
    }
    const wantedToMs = this.#wantedToMs(followed, sample, next);
    followed.heard = wantedToMs === undefined ? undefined : { sample, flv };
    const isLikely = followed.matcher.isFollowing;
    return { matches: reported, ...defined({ next, wantedToMs, isLikely: isLikely || undefined }) };
  }

  /** Undefined if it cannot be decoded. @throws PoolFullError */
  async #search({ matcher }: Followed, sample: SoundSample, flv: Uint8Array, ownerId: string) {
    const index = this.#deps.references.current;
    const made = await this.#print(sample, flv, ownerId);
    if (made === undefined) return undefined;
    if (sample.isPart) return matcher.addBetween(made.print, sample.startMs, index);
    const found = matcher.add(made.print, sample.startMs, index);
    if (!matcher.isUnsure || made.isStarted) return found;
    const shifted = shiftedSample(flv);
    const between = shifted && (await this.#print(sample, shifted.flv, ownerId).catch(() => undefined));
    if (shifted && between) found.push(...matcher.addBetween(between.print, sample.startMs + shifted.byMs, index));
    return found;
  }

  /** Once in the time in which a match must be confirmed, and only while all broadcasts send all their sound. */
  #wantedToMs(followed: Followed, { startMs }: SoundSample, next: Turn | undefined): number | undefined {
    const { neededToMs } = followed.matcher;
    if (neededToMs === undefined || next === undefined || next.windows > 1 || next.pauseMs > 0) return undefined;
    if (startMs - followed.wantedMs < MATCH.endsAfterMs) return undefined;
    followed.wantedMs = startMs;
    return Math.ceil(neededToMs + SOUND_SAMPLE.leadMs);
  }

  /** Undefined if it cannot be decoded. @throws PoolFullError */
  async #print({ windows, liveVideoId }: SoundSample, flv: Uint8Array, ownerId: string): Promise<Printed | undefined> {
    const { prints, log } = this.#deps;
    try {
      const { items, tookMs, isStarted } = await prints.sample(flv, ownerId);
      this.#turns.spent(windows, tookMs, isStarted);
      return { print: parsePrint(items), isStarted };
    } catch (error) {
      this.counts.failed++;
      if (isCode(error, 'POOL_FULL')) throw error;
      log.debug({ liveVideoId, error }, 'a sample of sound cannot be decoded');
      return undefined;
    }
  }

  /** Adds to a match the evidence in the pictures of a running broadcast. */
  async witness(liveVideoId: string, match: MatchDetails, pictures: readonly HashedPicture[]): Promise<MatchDetails> {
    const seen = await witnessedLive(this.#deps, match, pictures);
    if (seen !== match) await changeDetails(this.#deps.store.objects, liveVideoId, seen);
    return seen;
  }

  /** For the operator, who decides while the broadcast runs. It is removed with the files of the broadcast's video. */
  async #keepSample(videoId: string | undefined, { sample, flv }: Heard): Promise<HeardSample | undefined> {
    if (videoId === undefined) return undefined;
    const { blobs, log } = this.#deps;
    const key = `${videoPrefix(videoId)}heard-${randomUUID()}.flv`;
    try {
      await blobs.put(key, flv);
      return { key, startMs: sample.startMs, windows: sample.windows };
    } catch (error) {
      log.warn({ videoId, error }, 'the sample of a copyright match cannot be kept');
      return undefined;
    }
  }

  #follow(session: string, ownerId: string): Followed {
    const fresh = { matcher: new StreamMatcher(ownerId), wantedMs: Number.NEGATIVE_INFINITY, heard: undefined };
    const followed = this.#followed.get(session) ?? fresh;
    this.#followed.delete(session);
    this.#followed.set(session, followed);
    for (const oldest of this.#followed.keys()) {
      if (this.#followed.size <= DETECTOR.streamsMax) break;
      this.#followed.delete(oldest);
    }
    return followed;
  }
}

const HOUR_MS = 3_600_000;

/** Admits a bounded number of events per hour for each of many names. */
class HourlyBound {
  readonly #max: number;
  /** Times of the last hour by name, the name used last at the end. */
  readonly #times = new Map<string, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts the event if it is admitted. */
  admits(name: string, nowMs: number): boolean {
    const times = (this.#times.get(name) ?? []).filter((atMs) => nowMs - atMs < HOUR_MS);
    const isAdmitted = times.length < this.#max;
    if (isAdmitted) times.push(nowMs);
    this.#times.delete(name);
    this.#times.set(name, times);
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= DETECTOR.streamsMax) break;
      this.#times.delete(oldest);
    }
    return isAdmitted;
  }
}

/** Half the distance of the items of a print. */
const HALF_MS = PRINT.itemMs / 2;
/** Half of a frame of AAC. */
const NEAR_MS = 12;

/**
 * A sample of sound without its beginning. The items of a broadcast lie up to half of their distance beside those of the
 * reference, which gives most of the bit errors of clean sound. Those of the sound half a distance later lie nearer.
 */
interface ShiftedSample {
  readonly flv: Uint8Array;
  /** Length of what was left out. */
  readonly byMs: number;
}

/** `flv`: a file header, a sequence header, then frames in the order of their times. Undefined if it ends before. */
export function shiftedSample(flv: Uint8Array): ShiftedSample | undefined {
  const bytes = Buffer.from(flv.buffer, flv.byteOffset, flv.byteLength);
  let firstMs: number | undefined;
  let headerEnd = 0;
  for (let at = FILE_START_BYTES; at + TAG_HEADER_BYTES <= bytes.length; ) {
    const stampMs = bytes.readUIntBE(at + 4, 3) + (bytes[at + 7] ?? 0) * 2 ** 24;
    if (headerEnd > 0) firstMs ??= stampMs;
    const byMs = firstMs === undefined ? 0 : (stampMs - firstMs) >>> 0;
    if (byMs >= HALF_MS - NEAR_MS)
      return { flv: Buffer.concat([bytes.subarray(0, headerEnd), bytes.subarray(at)]), byMs };
    at += TAG_HEADER_BYTES + bytes.readUIntBE(at + 1, 3) + BACK_POINTER_BYTES;
    if (headerEnd === 0) headerEnd = at;
  }
  return undefined;
}

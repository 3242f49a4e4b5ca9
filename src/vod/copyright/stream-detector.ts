/** Compares samples of running broadcasts with the references, in the process that opens media. */
import { randomUUID } from 'node:crypto';
import type { LiveVideoData } from '../../broadcast/documents.js';
import { parsePrint } from '../../copyright/prints.js';
import { StreamMatcher } from '../../copyright/stream-matcher.js';
import type { Blobs, Clock, HeardSample, Log, Store } from '../../ports/index.js';
import type { MatchDetails } from '../../spec/error-record.js';
import { videoPrefix } from '../blobs/blob-key.js';
import { DETECTOR } from './limits.js';
import { detailsOf, keepMatches } from './matches.js';
import type { PrintPort } from './print-port.js';
import type { ReferenceIndex } from './reference-index.js';
import type { SoundSample } from './sound-tap.js';

export interface StreamDetectorDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly prints: PrintPort;
  readonly references: ReferenceIndex;
}

interface Followed {
  readonly matcher: StreamMatcher;
  /** Times of its reported matches within the hour. */
  reportedMs: number[];
}

export interface DetectorCounts {
  samples: number;
  matches: number;
  /** Nothing was compared: no reference applies to the owner. */
  passed: number;
  failed: number;
}

const HOUR_MS = 3_600_000;

export class StreamDetector {
  readonly counts: DetectorCounts = { samples: 0, matches: 0, passed: 0, failed: 0 };
  readonly #deps: StreamDetectorDeps;
  /** By session, the one used last at the end. */
  readonly #followed = new Map<string, Followed>();

  constructor(deps: StreamDetectorDeps) {
    this.#deps = deps;
  }

  /** Matches that this sample confirms. @throws what says that the sample was not decoded */
  async check({ session, liveVideoId, startMs }: SoundSample, flv: Uint8Array): Promise<MatchDetails[]> {
    const { store, prints, references, clock } = this.#deps;
    const live = await store.objects.get<LiveVideoData>(liveVideoId);
    const ownerId = live?.data.ownerId;
    if (ownerId === undefined || !references.current.appliesTo(ownerId)) {
      this.counts.passed++;
      return [];
    }
    this.counts.samples++;
    let bytes: Uint8Array;
    try {
      bytes = await prints.sample(flv);
    } catch (error) {
      this.counts.failed++;
      throw error;
    }
    const followed = this.#follow(session, ownerId);
    const found = followed.matcher.add(parsePrint(bytes), startMs, references.current);
    const reported = this.#bounded(followed, found.map(detailsOf), clock.wallMs());
    this.counts.matches += reported.length;
    if (reported.length > 0) {
      const heard = await this.#keepSample(live?.data.videoId, startMs, flv);
      await keepMatches(store.objects, { id: liveVideoId, ownerId }, reported, clock.wallMs(), heard);
    }
    return reported;
  }

  /** For the operator, who decides while the broadcast runs. It is removed with the files of the broadcast's video. */
  async #keepSample(videoId: string | undefined, startMs: number, flv: Uint8Array): Promise<HeardSample | undefined> {
    if (videoId === undefined) return undefined;
    const { blobs, log } = this.#deps;
    const key = `${videoPrefix(videoId)}heard-${randomUUID()}.flv`;
    try {
      await blobs.put(key, flv);
      return { key, startMs };
    } catch (error) {
      log.warn({ videoId, error }, 'the sample of a copyright match cannot be kept');
      return undefined;
    }
  }

  #follow(session: string, ownerId: string): Followed {
    const followed = this.#followed.get(session) ?? { matcher: new StreamMatcher(ownerId), reportedMs: [] };
    this.#followed.delete(session);
    this.#followed.set(session, followed);
    for (const oldest of this.#followed.keys()) {
      if (this.#followed.size <= DETECTOR.streamsMax) break;
      this.#followed.delete(oldest);
    }
    return followed;
  }

  #bounded(followed: Followed, found: readonly MatchDetails[], nowMs: number): MatchDetails[] {
    followed.reportedMs = followed.reportedMs.filter((atMs) => nowMs - atMs < HOUR_MS);
    const reported = found.slice(0, Math.max(0, DETECTOR.matchesPerHour - followed.reportedMs.length));
    for (const _ of reported) followed.reportedMs.push(nowMs);
    return reported;
  }
}

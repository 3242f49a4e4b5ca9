/**
 * Cross-checks live streams with ffprobe: the first seconds after a publish, and after a change of the sequence headers, go
 * to ffprobe as FLV, and its result is compared with the judge's. When no slot is free the sample is skipped: this is a
 * spot check, and must not slow down a busy server's packets.
 */
import {
  type Clock,
  type Log,
  type StreamHealth,
  type TappedStream,
  VOLATILE,
  type VolatileStore,
} from '../ports/index.js';
import type { StreamOpinion } from './flv-probe.js';
import { DEEP_PROBE, type SamplePlaces, SamplingTap } from './sampling-tap.js';

export interface Disagreement {
  readonly liveVideoId: string;
  readonly atMs: number;
  readonly differences: readonly {
    readonly what: keyof StreamOpinion;
    readonly judge: string | number;
    readonly ffprobe: string | number;
  }[];
}

/** Runs ffprobe on samples: in this process, or in the one that opens media. */
export interface SampleProbe {
  readonly hasRoomForSample: boolean;
  /** @throws SampleSkippedError when ffprobe was not run, and what says that it could not read the sample */
  sample(flv: Uint8Array): Promise<StreamOpinion>;
}

/** ffprobe was not run on a sample: it says nothing about the stream. */
export class SampleSkippedError extends Error {
  override readonly name = 'SampleSkippedError';
  readonly code = 'SAMPLE_SKIPPED';
}

export interface DeepProbeDeps {
  readonly probe: SampleProbe;
  /** Keeps the disagreements of the last day. */
  readonly volatile: Pick<VolatileStore, 'set'>;
  readonly clock: Clock;
  readonly log: Log;
}

const DISAGREEMENT_KEPT_MS = 24 * 3_600_000;

export interface DeepProbeCounts {
  samples: number;
  disagreements: number;
  /** Samples skipped because all slots were taken, or because no media process ran ffprobe. */
  skipped: number;
  /** Samples that ffprobe could not read. */
  failed: number;
}

export class DeepProbe implements SamplePlaces {
  readonly counts: DeepProbeCounts = { samples: 0, disagreements: 0, skipped: 0, failed: 0 };
  gathering = 0;
  readonly #deps: DeepProbeDeps;

  constructor(deps: DeepProbeDeps) {
    this.#deps = deps;
  }

  get hasRoom(): boolean {
    return this.gathering < DEEP_PROBE.gatheredAtOnce && this.#deps.probe.hasRoomForSample;
  }

  /** Samples from the accepted publish on, so previews are checked as well. */
  open(stream: Pick<TappedStream, 'liveVideoId' | 'health'>, when: 'publish' | 'live'): SamplingTap | undefined {
    return when === 'publish' ? new SamplingTap(stream, this.#deps.clock, this) : undefined;
  }

  /** Runs ffprobe on the sample and compares. */
  async judge(liveVideoId: string, flv: Uint8Array, health: StreamHealth): Promise<void> {
    const { probe, clock, log } = this.#deps;
    try {
      const opinion = await probe.sample(flv);
      this.counts.samples++;
      const differences = compare(health, opinion);
      if (differences.length === 0) return;
      this.counts.disagreements++;
      this.#keep({ liveVideoId, atMs: clock.wallMs(), differences });
    } catch (error) {
      if (error instanceof SampleSkippedError) {
        this.counts.skipped++;
        log.debug({ liveVideoId, error }, 'a sample was not checked');
        return;
      }
      this.counts.samples++;
      this.counts.failed++;
      log.info({ liveVideoId, error }, 'ffprobe could not read a sample of this stream');
    }
  }

  #keep(found: Disagreement): void {
    const { volatile, log } = this.#deps;
    log.warn({ ...found }, 'ffprobe sees the stream differently');
    volatile.set(VOLATILE.disagreement(found.liveVideoId), found, DISAGREEMENT_KEPT_MS).catch((error: unknown) => {
      log.debug({ error }, 'a disagreement could not be kept');
    });
  }
}

/** Compares only the fields that both know. */
function compare(health: StreamHealth, opinion: StreamOpinion): Disagreement['differences'] {
  const names = Object.keys(opinion) as (keyof StreamOpinion)[];
  return names.flatMap((what) => {
    const ffprobe = opinion[what];
    const judge = health[what];
    return ffprobe === undefined || judge === undefined || ffprobe === judge ? [] : [{ what, judge, ffprobe }];
  });
}

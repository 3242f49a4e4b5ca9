/**
 * The second opinion on running streams: the first seconds after a publish, and after a change of the sequence headers, go
 * to ffprobe as FLV, and what it says is compared with what the judge says. A sample that finds no place is not taken:
 * this is a spot check and must cost the packets of a busy server nothing.
 */
import type { Log, StreamHealth } from '../ports/index.js';
import type { StreamOpinion } from './flv-probe.js';
import { DEEP_PROBE, type SamplePlaces, type SamplingDeps, SamplingTap } from './sampling-tap.js';

export interface Disagreement {
  readonly liveVideoId: string;
  readonly atMs: number;
  readonly differences: readonly {
    readonly what: keyof StreamOpinion;
    readonly judge: string | number | undefined;
    readonly ffprobe: string | number;
  }[];
}

export interface DeepProbeDeps extends SamplingDeps {
  readonly sample: (flv: Uint8Array) => Promise<StreamOpinion>;
  readonly hasRoom: () => boolean;
  readonly onDisagreement: (disagreement: Disagreement) => void;
  readonly log: Log;
}

export interface DeepProbeCounts {
  samples: number;
  disagreements: number;
  /** Samples that were not taken because others were waiting. */
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
    return this.gathering < DEEP_PROBE.gatheredAtOnce && this.#deps.hasRoom();
  }

  /** Listens from the accepted publish on; a preview is looked at as well. */
  open(liveVideoId: string, when: 'publish' | 'live'): SamplingTap | undefined {
    return when === 'publish' ? new SamplingTap(this.#deps, liveVideoId, this) : undefined;
  }

  /** Asks ffprobe and compares. */
  async judge(liveVideoId: string, flv: Uint8Array, health: StreamHealth): Promise<void> {
    const { sample, onDisagreement, clock, log } = this.#deps;
    this.counts.samples++;
    try {
      const differences = compare(health, await sample(flv));
      if (differences.length === 0) return;
      this.counts.disagreements++;
      onDisagreement({ liveVideoId, atMs: clock.wallMs(), differences });
    } catch (error) {
      this.counts.failed++;
      log.info({ liveVideoId, error }, 'ffprobe could not read a sample of this stream');
    }
  }
}

/** Only what ffprobe could tell is compared. */
function compare(health: StreamHealth, opinion: StreamOpinion): Disagreement['differences'] {
  const names = Object.keys(opinion) as (keyof StreamOpinion)[];
  return names.flatMap((what) => {
    const ffprobe = opinion[what];
    const judge = health[what];
    return ffprobe === undefined || ffprobe === judge ? [] : [{ what, judge, ffprobe }];
  });
}

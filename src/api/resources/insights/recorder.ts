/**
 * Counts views, watched stretches and samples of the live audience. The video's counters hold totals and days (UTC), so
 * that the cost of reading them does not depend on the number of views.
 */
import {
  type Clock,
  COUNTER,
  DERIVED_ID,
  edgeOf,
  retryConflicts,
  type Store,
  type Write,
} from '../../../ports/index.js';

export interface InsightDeps {
  readonly store: Pick<Store, 'objects'>;
  readonly clock: Clock;
}

export const RETENTION_INTERVALS = 40;

/** Views of at least this many seconds have their own counters. */
const THRESHOLDS_S = [10, 15, 30, 60] as const;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const plus = (owner: string, counter: string, by: number): Write => ({ op: 'count', owner, counter, by });

export interface View {
  /** Absent for a viewer without a token. */
  readonly viewerId?: string | undefined;
  readonly isLive: boolean;
}

/** Playback of the video began. */
export async function recordView(deps: InsightDeps, videoId: string, view: View): Promise<void> {
  const nowMs = deps.clock.wallMs();
  const day = dayOf(nowMs);
  const writes: Write[] = [plus(videoId, COUNTER.views, 1), plus(videoId, COUNTER.ofDay(COUNTER.views, day), 1)];
  if (view.isLive)
    writes.push(plus(videoId, COUNTER.viewsLive, 1), plus(videoId, COUNTER.ofDay(COUNTER.viewsLive, day), 1));
  if (view.viewerId !== undefined) {
    writes.push({ op: 'edgeAdd', ...edgeOf(videoId, 'viewers'), member: view.viewerId, score: nowMs });
  }
  await deps.store.objects.commit(writes);
}

export interface Stretch {
  /** Position in the video, in milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Time that this view had watched before; each threshold is counted once per view. */
  readonly watchedBeforeMs: number;
  readonly isLive: boolean;
  /** Length of a recorded video, for retention: the share of views that reach each fortieth of it. */
  readonly lengthMs?: number;
}

export async function recordStretch(deps: InsightDeps, videoId: string, stretch: Stretch): Promise<void> {
  const watchedMs = Math.max(0, Math.round(stretch.toMs - stretch.fromMs));
  if (watchedMs === 0) return;
  const day = dayOf(deps.clock.wallMs());
  const writes: Write[] = [
    plus(videoId, COUNTER.watchedMs, watchedMs),
    plus(videoId, COUNTER.ofDay(COUNTER.watchedMs, day), watchedMs),
  ];
  if (stretch.isLive)
    writes.push(
      plus(videoId, COUNTER.watchedLiveMs, watchedMs),
      plus(videoId, COUNTER.ofDay(COUNTER.watchedLiveMs, day), watchedMs),
    );
  for (const seconds of THRESHOLDS_S) {
    const crossed = stretch.watchedBeforeMs < seconds * 1000 && stretch.watchedBeforeMs + watchedMs >= seconds * 1000;
    if (crossed) writes.push(plus(videoId, COUNTER.viewsOf(seconds), 1));
  }
  if (stretch.lengthMs !== undefined && stretch.lengthMs > 0) {
    const part = stretch.lengthMs / RETENTION_INTERVALS;
    const first = Math.max(0, Math.ceil(stretch.fromMs / part));
    for (let index = first; index < RETENTION_INTERVALS && index * part < stretch.toMs; index += 1) {
      writes.push(plus(videoId, COUNTER.retention(index), 1));
    }
  }
  await deps.store.objects.commit(writes);
}

/** The largest audience of a broadcast. */
export interface PeakData {
  readonly viewers: number;
}

/** Call at a steady pace while the broadcast is LIVE and has viewers; the average is taken over these samples. */
export async function recordAudience(deps: InsightDeps, videoId: string, viewers: number): Promise<void> {
  await deps.store.objects.commit([
    plus(videoId, COUNTER.audienceSum, viewers),
    plus(videoId, COUNTER.audienceSamples, 1),
  ]);
  await recordPeak(deps, videoId, viewers);
}

export async function recordPeak(deps: InsightDeps, videoId: string, viewers: number): Promise<void> {
  await retryConflicts(async () => {
    const peak = await deps.store.objects.get<PeakData>(DERIVED_ID.peak(videoId));
    if (peak !== undefined && peak.data.viewers >= viewers) return;
    const nowMs = deps.clock.wallMs();
    const object = {
      id: DERIVED_ID.peak(videoId),
      kind: 'setting',
      createdMs: peak?.createdMs ?? nowMs,
      updatedMs: nowMs,
      data: { viewers },
    } as const;
    await deps.store.objects.commit([{ op: 'put', object, expect: peak?.version ?? 0 }]);
  });
}

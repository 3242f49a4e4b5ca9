/** Reads what the report on a broadcast is made of. */

import { SeriesStore } from '../../dashboard/history/series-store.js';
import type { Series } from '../../dashboard/view/health-series.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import { isOver } from '../../lifecycle/lifecycle.js';
import { type Clock, edgeOf, type Store, type StoredObject } from '../../ports/index.js';
import { type BroadcastReport, type BroadcastSources, liveReport } from '../../report/report.js';

type LiveVideo = StoredObject<LiveVideoData>;

const REPORT = {
  /** A broadcast keeps at most so many. */
  records: 10_000,
  /** Records of a broadcast to compare with. */
  recordsCompared: 1_000,
  compared: 3,
  /** Broadcasts of the owner looked at for those that have ended. */
  lookedAt: 20,
} as const;

export interface ReportDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'wallMs'>;
  /** With the samples that an ingest process has not saved yet: it saves once a minute. Without: what is saved. */
  readonly history?: { read(liveVideoId: string): Promise<Series> };
}

/** Undefined: there is no such broadcast. */
export async function reportOnId(deps: ReportDeps, id: string): Promise<BroadcastReport | undefined> {
  const live = await deps.store.objects.get<LiveVideoData>(id);
  return live?.kind === 'live_video' ? reportOn(deps, live) : undefined;
}

export async function reportOn({ store, clock, history }: ReportDeps, live: LiveVideo): Promise<BroadcastReport> {
  const saved = new SeriesStore(store);
  const [own, before] = await Promise.all([
    sourcesOf(store, history ?? saved, live, REPORT.records),
    previousOf(store, live),
  ]);
  const previous = await Promise.all(before.map((each) => sourcesOf(store, saved, each, REPORT.recordsCompared)));
  return liveReport({ ...own, previous, nowMs: clock.wallMs() });
}

async function sourcesOf(
  store: Store,
  history: NonNullable<ReportDeps['history']>,
  live: LiveVideo,
  limit: number,
): Promise<BroadcastSources> {
  const [page, series] = await Promise.all([store.records.page(live.id, { limit }), history.read(live.id)]);
  return { live, records: page.records, series };
}

/** The last ended ones of the same owner that were broadcast, newest first. */
async function previousOf({ objects }: Store, live: LiveVideo): Promise<readonly LiveVideo[]> {
  const { entries } = await objects.page(edgeOf(live.data.ownerId, 'live_videos'), {
    limit: REPORT.lookedAt,
    untilScore: live.createdMs,
  });
  const found = await objects.getMany(entries.map(({ member }) => member).filter((id) => id !== live.id));
  return found
    .flatMap((each) => (each?.kind === 'live_video' ? [each as LiveVideo] : []))
    .filter(({ data }) => isOver(data.status) && data.broadcastStartMs !== undefined)
    .slice(0, REPORT.compared);
}

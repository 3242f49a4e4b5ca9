/** The metrics of `video_insights`. Advertising and demographics are not recorded. */
import { COUNTER, DERIVED_ID, edgeOf, type ListName, type Store } from '../../../ports/index.js';
import { type PeakData, RETENTION_INTERVALS } from './recorder.js';

export interface MetricRead {
  readonly store: Pick<Store, 'objects'>;
  readonly videoId: string;
}

export interface Metric {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Counter that is also kept per day; metrics without one exist for the lifetime only. */
  readonly counter?: string;
  readonly lifetime: (read: MetricRead) => Promise<number | object>;
}

async function count({ store, videoId }: MetricRead, name: string): Promise<number> {
  return (await store.objects.counters(videoId, [name]))[0] ?? 0;
}

const counted = (name: string, counter: string, title: string, description: string, byDay = true): Metric => ({
  name,
  title,
  description,
  ...(byDay ? { counter } : {}),
  lifetime: (read) => count(read, counter),
});

const size = ({ store, videoId }: MetricRead, list: ListName) => store.objects.edgeSize(edgeOf(videoId, list));

export const METRICS: readonly Metric[] = [
  counted('total_video_views', COUNTER.views, 'Lifetime Total Video Views', 'Number of times playback started.'),
  {
    name: 'total_video_views_unique',
    title: 'Lifetime Unique Video Views',
    description: 'Number of distinct users and Pages that watched.',
    lifetime: (read) => size(read, 'viewers'),
  },
  counted(
    'total_video_views_live',
    COUNTER.viewsLive,
    'Lifetime Live Video Views',
    'Number of times playback started while the video was live.',
  ),
  counted(
    'total_video_10s_views',
    COUNTER.viewsOf(10),
    'Lifetime 10-Second Views',
    'Views of 10 seconds or more.',
    false,
  ),
  counted(
    'total_video_15s_views',
    COUNTER.viewsOf(15),
    'Lifetime 15-Second Views',
    'Views of 15 seconds or more.',
    false,
  ),
  counted(
    'total_video_30s_views',
    COUNTER.viewsOf(30),
    'Lifetime 30-Second Views',
    'Views of 30 seconds or more.',
    false,
  ),
  counted(
    'total_video_60s_excludes_shorter_views',
    COUNTER.viewsOf(60),
    'Lifetime 60-Second Views',
    'Views of 60 seconds or more.',
    false,
  ),
  counted('total_video_view_total_time', COUNTER.watchedMs, 'Lifetime Total Video View Time', 'Milliseconds watched.'),
  counted(
    'total_video_view_total_time_live',
    COUNTER.watchedLiveMs,
    'Lifetime Live View Time',
    'Milliseconds watched while the video was live.',
  ),
  {
    name: 'total_video_avg_time_watched',
    title: 'Lifetime Average Time Watched',
    description: 'Milliseconds watched per view.',
    lifetime: async ({ store, videoId }) => {
      const [watched = 0, views = 0] = await store.objects.counters(videoId, [COUNTER.watchedMs, COUNTER.views]);
      return views === 0 ? 0 : Math.round(watched / views);
    },
  },
  {
    name: 'total_video_retention_graph',
    title: 'Lifetime Retention',
    description: 'Share of views that reached the start of each fortieth of the video.',
    lifetime: retention,
  },
  {
    name: 'total_video_reactions_by_type_total',
    title: 'Lifetime Reactions by Type',
    description: 'Number of reactions by type.',
    lifetime: async (read) => ({ like: await size(read, 'likes') }),
  },
  {
    name: 'total_video_stories_by_action_type',
    title: 'Lifetime Engagement by Action',
    description: 'Number of likes, comments and shares.',
    lifetime: async (read) => {
      const [like, comment, share] = await Promise.all([
        size(read, 'likes'),
        size(read, 'comments_all'),
        size(read, 'shared_posts'),
      ]);
      return { like, comment, share };
    },
  },
  {
    name: 'live_video_peak_viewers',
    title: 'Peak Live Viewers',
    description: 'Largest number of concurrent viewers while the video was live.',
    lifetime: async ({ store, videoId }) =>
      (await store.objects.get<PeakData>(DERIVED_ID.peak(videoId)))?.data.viewers ?? 0,
  },
  {
    name: 'live_video_average_viewers',
    title: 'Average Live Viewers',
    description:
      'Average number of concurrent viewers while the video was live, over the times with at least one viewer.',
    lifetime: async ({ store, videoId }) => {
      const [sum = 0, samples = 0] = await store.objects.counters(videoId, [
        COUNTER.audienceSum,
        COUNTER.audienceSamples,
      ]);
      return samples === 0 ? 0 : Math.round((sum / samples) * 100) / 100;
    },
  },
];

async function retention({ store, videoId }: MetricRead): Promise<Record<string, number>> {
  const names = Array.from({ length: RETENTION_INTERVALS }, (_, index) => COUNTER.retention(index));
  const [views = 0, ...seen] = await store.objects.counters(videoId, [COUNTER.views, ...names]);
  return Object.fromEntries(
    seen.map((each, index) => [
      String(index),
      views === 0 ? 0 : Math.min(1, Math.round((each / views) * 10_000) / 10_000),
    ]),
  );
}

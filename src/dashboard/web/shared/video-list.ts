/** Which videos a list shows, and in which order. Pure. */
export interface VideoRow {
  readonly id: string;
  readonly title?: string;
  readonly created_time?: string;
  /** Seconds. */
  readonly length?: number;
  readonly picture?: string;
  readonly published?: boolean;
  readonly status?: { readonly video_status?: string };
  readonly live_status?: string;
  readonly from?: { readonly id: string; readonly name?: string };
  /** Broadcast of a recording. */
  readonly live_video?: { readonly id: string };
}

export const STATES = ['all', 'ready', 'progress', 'failed', 'unpublished'] as const;
export const KINDS = ['all', 'uploads', 'recordings'] as const;
const ORDERS = ['newest', 'oldest', 'title', 'longest'] as const;

export interface VideoChoice {
  readonly search: string;
  readonly state: (typeof STATES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly order: (typeof ORDERS)[number];
}

export const EVERY_VIDEO: VideoChoice = { search: '', state: 'all', kind: 'all', order: 'newest' };

export const isFailed = ({ status }: VideoRow): boolean =>
  status?.video_status === 'error' || status?.video_status === 'upload_failed' || status?.video_status === 'expired';

/** Its broadcast is running: `video_status` is `processing` then, since clients that upload wait for `ready`. */
export const isLive = ({ live_status: status }: VideoRow): boolean => status === 'LIVE';

const isReady = ({ status }: VideoRow): boolean => status?.video_status === 'ready';

const PASSES: Readonly<Record<VideoChoice['state'], (row: VideoRow) => boolean>> = {
  all: () => true,
  ready: isReady,
  progress: (row) => !isReady(row) && !isFailed(row),
  failed: isFailed,
  unpublished: ({ published }) => published === false,
};

const madeMs = ({ created_time: made }: VideoRow): number => (made === undefined ? 0 : Date.parse(made));

const ORDER: Readonly<Record<VideoChoice['order'], (a: VideoRow, b: VideoRow) => number>> = {
  newest: (a, b) => madeMs(b) - madeMs(a),
  oldest: (a, b) => madeMs(a) - madeMs(b),
  title: (a, b) => (a.title ?? '').localeCompare(b.title ?? '', undefined, { numeric: true }),
  longest: (a, b) => (b.length ?? 0) - (a.length ?? 0),
};

/** Each video once: a video that a user is tagged in is in two lists. */
export function chosenVideos(rows: readonly VideoRow[], choice: VideoChoice): readonly VideoRow[] {
  const wanted = choice.search.trim().toLowerCase();
  return [...new Map(rows.map((row) => [row.id, row])).values()]
    .filter((row) => choice.kind === 'all' || (choice.kind === 'recordings') === (row.live_video !== undefined))
    .filter(PASSES[choice.state])
    .filter((row) =>
      [row.title ?? '', row.from?.name ?? '', row.id].some((text) => text.toLowerCase().includes(wanted)),
    )
    .sort((a, b) => ORDER[choice.order](a, b) || Number(b.id) - Number(a.id));
}

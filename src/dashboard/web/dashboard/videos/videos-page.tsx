/** Uploads and recordings of all owners: searched, filtered, sorted, in pages. */
import { type JSX, useState } from 'react';
import type { OwnerView } from '../../../view/protocol.js';
import { dateTime, duration } from '../../shared/format.js';
import { useValue } from '../../shared/value.js';
import {
  chosenVideos,
  EVERY_VIDEO,
  isFailed,
  isLive,
  type VideoChoice,
  type VideoRow,
} from '../../shared/video-list.js';
import { Button } from '../../ui/button.js';
import { Badge, Fault } from '../../ui/callout.js';
import { Empty, Loading } from '../../ui/card.js';
import { FIELD, MUTED } from '../../ui/classes.js';
import { Select } from '../../ui/select.js';
import type { Api, Page } from '../client/api.js';
import { type RowsOfPage, usePages } from '../client/pages.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { NoPicture } from '../client/still.js';
import { UploadCard } from './upload-card.js';

const FIELDS = 'id,title,created_time,length,published,status,live_status,picture,from,live_video{id}';
const PAGE = '50';
export const VIDEO_STATES: Readonly<Record<string, string>> = {
  ready: 'Ready',
  processing: 'Processing',
  uploading: 'Uploading',
  error: 'Failed',
  expired: 'Expired',
  upload_complete: 'Uploaded',
  upload_failed: 'Upload failed',
};

export function VideosPage(): JSX.Element {
  const { feed } = useSession();
  const { owners, synced } = useValue(feed.feed);
  return (
    <>
      {owners.length === 0 && !synced ? (
        <Loading what="Loading videos" />
      ) : (
        <VideoList key={owners.map(({ id }) => id).join(' ')} owners={owners} />
      )}
    </>
  );
}

/** The next page of each owner that has one, or their first: `after` holds the cursor of each. */
async function videosOf(
  api: Api,
  owners: readonly string[],
  after: string | undefined,
  signal: AbortSignal,
): Promise<RowsOfPage<VideoRow>> {
  const cursors: readonly (readonly [string, string?])[] =
    after === undefined ? owners.map((id) => [id] as const) : JSON.parse(after);
  const pages = await Promise.all(
    cursors.map(async ([owner, cursor]) => {
      const from = cursor === undefined ? {} : { after: cursor };
      const params = { fields: FIELDS, limit: PAGE, ...from };
      const page = await api.get<Page<VideoRow>>(`/${owner}/videos`, params, signal);
      const { next, cursors: ends } = page.paging ?? {};
      return { owner, rows: page.data, next: next === undefined ? undefined : ends?.after };
    }),
  );
  const left = pages.flatMap(({ owner, next }) => (next === undefined ? [] : [[owner, next] as const]));
  const rows = pages.flatMap((page) => page.rows);
  return { rows, ...(left.length === 0 ? {} : { next: JSON.stringify(left) }) };
}

function VideoList({ owners }: { owners: readonly OwnerView[] }): JSX.Element {
  const { api } = useSession();
  const [choice, setChoice] = useState(EVERY_VIDEO);
  const ids = owners.map(({ id }) => id);
  const { rows, fault, busy, more, reload } = usePages({
    key: ['videos', ids],
    read: (after, signal) => videosOf(api, ids, after, signal),
  });
  const shown = chosenVideos(rows ?? [], choice);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="mr-auto max-md:basis-full">Videos</h1>
        {rows === undefined || rows.length < 2 ? null : <Choice choice={choice} onChange={setChoice} />}
      </div>
      <UploadCard owners={owners} />
      {fault === '' ? null : <Fault message={fault} retry={reload} />}
      {rows === undefined && fault === '' ? <Loading what="Loading videos" /> : null}
      {rows?.length === 0 ? (
        <Empty title="No videos yet">
          <p>Drop a file above to upload it. Recordings of broadcasts appear here after they end.</p>
        </Empty>
      ) : null}
      {rows !== undefined && rows.length > 0 && shown.length === 0 ? (
        <Empty title="No matches">
          <p>
            None of the {more === undefined ? '' : 'newest '}
            {rows.length} videos passes this search and these filters.
          </p>
          <Button onClick={() => setChoice(EVERY_VIDEO)}>Show all videos</Button>
        </Empty>
      ) : null}
      {shown.length === 0 ? null : (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card" aria-label="Videos">
          {shown.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
      )}
      {more === undefined ? null : (
        <div className="mt-5 text-center">
          {busy ? <Loading what="Loading older videos" /> : <Button onClick={more}>Show older videos</Button>}
        </div>
      )}
    </>
  );
}

const STATE_TITLES = {
  all: 'Every state',
  ready: 'Ready',
  progress: 'In progress',
  failed: 'Failed',
  unpublished: 'Not published',
} as const;
const KIND_TITLES = { all: 'Uploads and recordings', uploads: 'Uploads', recordings: 'Recordings' } as const;
const ORDER_TITLES = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  title: 'By title',
  longest: 'Longest first',
} as const;

function Choice({ choice, onChange }: { choice: VideoChoice; onChange: (to: VideoChoice) => void }): JSX.Element {
  return (
    <>
      <Select
        label="Kind"
        value={choice.kind}
        titles={KIND_TITLES}
        onChange={(kind) => onChange({ ...choice, kind })}
      />
      <Select
        label="State"
        value={choice.state}
        titles={STATE_TITLES}
        onChange={(state) => onChange({ ...choice, state })}
      />
      <Select
        label="Order"
        value={choice.order}
        titles={ORDER_TITLES}
        onChange={(order) => onChange({ ...choice, order })}
      />
      <input
        type="search"
        className={`${FIELD} w-60 max-sm:grow`}
        placeholder="Find by title, owner or ID"
        aria-label="Find videos by title, owner or ID"
        value={choice.search}
        onChange={(event) => onChange({ ...choice, search: event.currentTarget.value })}
      />
    </>
  );
}

function Row({ row }: { row: VideoRow }): JSX.Element {
  const { video_status: state = '' } = row.status ?? {};
  const live = isLive(row);
  const recorded = live ? 'Broadcast' : 'Recording';
  return (
    <li>
      <a
        href={linkTo.video(row.id)}
        className="grid grid-cols-[96px_minmax(0,1fr)] items-center gap-x-4 gap-y-1 px-4 py-2.5 text-ink focus-visible:-outline-offset-2 no-underline hover:bg-ground md:grid-cols-[128px_minmax(0,1fr)_minmax(120px,auto)_176px]"
      >
        <span className="relative aspect-video overflow-hidden rounded-sm max-md:row-span-3 max-md:self-start">
          {row.picture === undefined ? (
            <NoPicture className="size-full" />
          ) : (
            <img src={row.picture} alt="" loading="lazy" className="size-full bg-black object-contain" />
          )}
          {row.length === undefined ? null : (
            <span className="absolute bottom-1 right-1 rounded-sm bg-black px-1 text-xs text-white">
              {duration(row.length * 1000)}
            </span>
          )}
        </span>
        <span className="min-w-0 font-semibold">
          <span dir="auto">{row.title ?? 'Untitled'}</span>
          <small className="block">
            {row.live_video === undefined ? 'Upload' : recorded} · {row.from?.name ?? row.from?.id ?? ''} · {row.id}
          </small>
        </span>
        <span className="max-md:col-start-2">
          <Badge tone={isFailed(row) ? 'fail' : live || state === 'ready' ? 'pass' : 'quiet'}>
            {live ? 'Live' : (VIDEO_STATES[state] ?? (state || '–'))}
            {row.published === false ? ', not published' : ''}
          </Badge>
        </span>
        <span className={`${MUTED} max-md:col-start-2 md:text-right`}>
          {row.created_time === undefined ? '–' : dateTime(Date.parse(row.created_time))}
        </span>
      </a>
    </li>
  );
}

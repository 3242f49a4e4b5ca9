/** Uploads and recordings of each owner, newest first. */
import { type JSX, useCallback, useEffect, useState } from 'react';
import type { OwnerView } from '../../view/protocol.js';
import { dateTime, duration } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { Button } from '../ui/button.js';
import { Badge, Fault } from '../ui/callout.js';
import { Card, Empty, Loading } from '../ui/card.js';
import { MUTED } from '../ui/classes.js';
import { type Api, messageOf, type Page } from './api.js';
import { linkTo } from './route.js';
import { useSession } from './session.js';
import { UploadCard } from './upload-card.js';

interface VideoRow {
  readonly id: string;
  readonly title?: string;
  readonly created_time?: string;
  readonly length?: number;
  readonly picture?: string;
  readonly published?: boolean;
  readonly status?: { readonly video_status?: string };
}

const FIELDS = 'id,title,created_time,length,published,status,picture';
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
  const [empty, setEmpty] = useState<ReadonlySet<string>>(new Set());
  const onEmpty = useCallback((id: string) => setEmpty((held) => new Set([...held, id])), []);
  return (
    <>
      <div className="mb-4 flex flex-col gap-2">
        <h1>Videos</h1>
      </div>
      <UploadCard owners={owners} />
      {owners.length === 0 && !synced ? <Loading what="Loading videos" /> : null}
      {owners.map((owner) => (
        <OwnerVideos key={owner.id} owner={owner} onEmpty={onEmpty} />
      ))}
      {owners.length > 0 && owners.every(({ id }) => empty.has(id)) ? (
        <Empty title="No videos yet">
          <p>Drop a file above to upload it. Recordings of broadcasts appear here after they end.</p>
        </Empty>
      ) : null}
    </>
  );
}

async function videosOf(api: Api, ownerId: string, after: string | undefined): Promise<Page<VideoRow>> {
  return api.get(`/${ownerId}/videos`, { fields: FIELDS, limit: '25', ...(after === undefined ? {} : { after }) });
}

function OwnerVideos(props: { owner: OwnerView; onEmpty: (ownerId: string) => void }): JSX.Element | null {
  const { owner, onEmpty } = props;
  const { api } = useSession();
  const [rows, setRows] = useState<readonly VideoRow[]>();
  const [next, setNext] = useState<string>();
  const [fault, setFault] = useState('');
  const load = useCallback(
    async (after?: string): Promise<void> => {
      setFault('');
      try {
        const page = await videosOf(api, owner.id, after);
        setRows((held) => [...(after === undefined ? [] : (held ?? [])), ...page.data]);
        setNext(page.paging?.next === undefined ? undefined : page.paging.cursors?.after);
      } catch (error) {
        setFault(messageOf(error));
      }
    },
    [api, owner.id],
  );
  useEffect(() => void load(), [load]);
  const isEmpty = rows?.length === 0;
  useEffect(() => {
    if (isEmpty) onEmpty(owner.id);
  }, [isEmpty, onEmpty, owner.id]);
  if (isEmpty) return null;
  return (
    <Card title={owner.name} label={`Videos of ${owner.name}`}>
      {fault === '' ? null : <Fault message={fault} retry={() => void load()} />}
      {rows === undefined ? (
        fault === '' ? (
          <Loading what="Loading videos" />
        ) : null
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
      )}
      {next === undefined ? null : <Button onClick={() => void load(next)}>Older</Button>}
    </Card>
  );
}

function Row({ row }: { row: VideoRow }): JSX.Element {
  const { video_status: state = '' } = row.status ?? {};
  const isFailed = state === 'error' || state === 'upload_failed';
  return (
    <li>
      <a
        href={linkTo.video(row.id)}
        className="-mx-2 grid grid-cols-[96px_minmax(0,1fr)] items-center gap-x-4 gap-y-1 rounded-md px-2 py-2.5 text-ink no-underline hover:bg-ground md:grid-cols-[128px_minmax(0,1fr)_minmax(120px,auto)_176px]"
      >
        <span className="relative aspect-video overflow-hidden rounded-sm bg-black">
          {row.picture === undefined ? null : (
            <img src={row.picture} alt="" loading="lazy" className="size-full object-contain" />
          )}
          {row.length === undefined ? null : (
            <span className="absolute bottom-1 right-1 rounded-sm bg-black px-1 text-xs text-white">
              {duration(row.length * 1000)}
            </span>
          )}
        </span>
        <span className="min-w-0 font-semibold">
          {row.title ?? 'Untitled'}
          <small className="block">{row.id}</small>
        </span>
        <span className="max-md:col-start-2">
          <Badge tone={isFailed ? 'fail' : state === 'ready' ? 'pass' : 'quiet'}>
            {VIDEO_STATES[state] ?? (state || '–')}
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

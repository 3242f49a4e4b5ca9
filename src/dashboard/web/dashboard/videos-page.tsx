/** Uploads and recordings of each owner, newest first. */
import { type JSX, useCallback, useEffect, useState } from 'react';
import type { OwnerView } from '../../view/protocol.js';
import { dateTime, duration } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { Button } from '../ui/button.js';
import { Fault } from '../ui/callout.js';
import { Card, Empty, Loading } from '../ui/card.js';
import { LINK } from '../ui/classes.js';
import { type Api, messageOf, type Page } from './api.js';
import { linkTo } from './route.js';
import { useSession } from './session.js';
import { UploadCard } from './upload-card.js';

interface VideoRow {
  readonly id: string;
  readonly title?: string;
  readonly created_time?: string;
  readonly length?: number;
  readonly published?: boolean;
  readonly status?: { readonly video_status?: string };
}

const FIELDS = 'id,title,created_time,length,published,status';
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
      <div className="mb-4 flex flex-col gap-2">
        <h1>Videos</h1>
      </div>
      <UploadCard owners={owners} />
      {owners.length === 0 && !synced ? <Loading what="Loading videos" /> : null}
      {owners.map((owner) => (
        <OwnerVideos key={owner.id} owner={owner} />
      ))}
    </>
  );
}

async function videosOf(api: Api, ownerId: string, after: string | undefined): Promise<Page<VideoRow>> {
  return api.get(`/${ownerId}/videos`, { fields: FIELDS, limit: '25', ...(after === undefined ? {} : { after }) });
}

function OwnerVideos({ owner }: { owner: OwnerView }): JSX.Element {
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
  return (
    <Card title={owner.name} label={`Videos of ${owner.name}`}>
      {fault === '' ? null : <Fault message={fault} retry={() => void load()} />}
      {rows === undefined ? (
        fault === '' ? (
          <Loading what="Loading videos" />
        ) : null
      ) : rows.length === 0 ? (
        <Empty title="No videos yet">
          <p>Recordings of broadcasts and uploaded files appear here.</p>
        </Empty>
      ) : (
        <table className="w-full border-collapse text-left text-sm">
          <thead className="text-muted max-md:sr-only">
            <tr>
              <th scope="col">Title</th>
              <th scope="col">Status</th>
              <th scope="col">Length</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id} className="border-t border-line align-top max-md:flex max-md:flex-wrap max-md:gap-x-4">
                <th scope="row" className="py-2 pr-3 font-normal max-md:basis-full">
                  <a className={LINK} href={linkTo.video(row.id)}>
                    {row.title ?? 'Untitled'}
                  </a>
                  <small className="block">{row.id}</small>
                </th>
                <td className="py-2 pr-3">
                  {VIDEO_STATES[row.status?.video_status ?? ''] ?? row.status?.video_status ?? '–'}
                  {row.published === false ? ', not published' : ''}
                </td>
                <td className="py-2 pr-3">{row.length === undefined ? '–' : duration(row.length * 1000)}</td>
                <td className="py-2 pr-3">
                  {row.created_time === undefined ? '–' : dateTime(Date.parse(row.created_time))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {next === undefined ? null : <Button onClick={() => void load(next)}>Older</Button>}
    </Card>
  );
}

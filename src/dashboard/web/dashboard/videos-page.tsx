/** Uploads and recordings of each owner, newest first. */
import { type JSX, useCallback, useEffect, useState } from 'react';
import type { OwnerView } from '../../view/protocol.js';
import { dateTime, duration } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { type Api, messageOf, type Page } from './api.js';
import { linkTo } from './route.js';
import { useSession } from './session.js';
import { Empty, Fault, Loading } from './ui.js';
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
      <div className="page-head">
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
    <section className="card" aria-label={`Videos of ${owner.name}`}>
      <h2>{owner.name}</h2>
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
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Title</th>
              <th scope="col">Status</th>
              <th scope="col">Length</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <a href={linkTo.video(row.id)}>{row.title ?? 'Untitled'}</a>
                  <small>{row.id}</small>
                </th>
                <td>
                  {VIDEO_STATES[row.status?.video_status ?? ''] ?? row.status?.video_status ?? '–'}
                  {row.published === false ? ', not published' : ''}
                </td>
                <td>{row.length === undefined ? '–' : duration(row.length * 1000)}</td>
                <td>{row.created_time === undefined ? '–' : dateTime(Date.parse(row.created_time))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {next === undefined ? null : (
        <button type="button" className="button" onClick={() => void load(next)}>
          Older
        </button>
      )}
    </section>
  );
}

/** One video: state, player, errors against the upload specification, captions and thumbnails. */
import { type JSX, type RefObject, useEffect, useRef, useState } from 'react';
import type { ErrorView } from '../../../../spec/error-view.js';
import { adviceOf } from '../../shared/advice.js';
import { dateTime, duration } from '../../shared/format.js';
import { useNow } from '../../shared/value.js';
import { AdviceBox } from '../../ui/advice-box.js';
import { Badge, Callout, Fault } from '../../ui/callout.js';
import { Card, Loading } from '../../ui/card.js';
import { FILLS_SCREEN, LINK, SCREEN } from '../../ui/classes.js';
import { OpenErrors } from '../../ui/open-errors.js';
import { sentOf, useHistory } from '../charts/use-history.js';
import { useAnswer } from '../client/queries.js';
import { linkTo } from '../client/route.js';
import { useRows } from '../client/rows.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { useWholeLog } from '../client/whole-log.js';
import { type CaptionRow, Captions, useCaptions } from './captions.js';
import { FilePick } from './file-pick.js';
import { VideoActions } from './video-actions.js';
import { VIDEO_STATES } from './videos-page.js';

interface VideoView {
  readonly id: string;
  readonly title?: string;
  readonly created_time?: string;
  readonly length?: number;
  readonly published?: boolean;
  readonly source?: string;
  readonly from?: { readonly name?: string };
  readonly live_video?: { readonly id: string };
  readonly status?: {
    readonly video_status?: string;
    readonly processing_progress?: number;
    readonly processing_phase?: { readonly errors?: readonly { readonly message?: string }[] };
  };
}

const FIELDS = 'id,title,created_time,length,published,source,from,status,live_video{id}';
const REFRESH_MS = 2_000;
const LATE_MS = 10_000;
const IN_PROGRESS: ReadonlySet<string> = new Set(['processing', 'uploading', 'upload_complete']);

export function VideoPage({ id }: { id: string }): JSX.Element {
  const { api } = useSession();
  const [everyMs, setEveryMs] = useState<number>();
  const { answer: video, fault, read } = useAnswer<VideoView>(api, `/${id}`, { fields: FIELDS }, { everyMs });
  const inProgress = IN_PROGRESS.has(video?.status?.video_status ?? '');
  useEffect(() => setEveryMs(inProgress ? REFRESH_MS : undefined), [inProgress]);
  if (video === undefined) {
    return fault === '' ? <Loading what="Loading the video" /> : <Fault message={fault} retry={() => void read()} />;
  }
  const { live_video: live, source } = video;
  // Until the recording is there, the page of the broadcast has all that is known of it.
  if (live !== undefined && source === undefined && inProgress) return <Forward href={linkTo.broadcast(live.id)} />;
  return <VideoDetails video={video} reload={read} />;
}

function Forward({ href }: { href: string }): JSX.Element {
  useEffect(() => window.location.replace(href), [href]);
  return <Loading what="Loading the broadcast" />;
}

function VideoDetails({ video, reload }: { video: VideoView; reload: () => Promise<void> }): JSX.Element {
  const { api } = useSession();
  const captions = useCaptions(api, video.id);
  const player = useRef<HTMLVideoElement>(null);
  const seek = (seconds: number): void => {
    if (player.current !== null) player.current.currentTime = seconds;
  };
  const state = video.status?.video_status ?? '';
  const made = video.created_time === undefined ? '' : ` · ${dateTime(Date.parse(video.created_time))}`;
  const progress = state === 'processing' ? video.status?.processing_progress : undefined;
  return (
    <article>
      <div className="mb-4 flex flex-col gap-2">
        <a className="text-accent underline underline-offset-2" href={linkTo.videos}>
          All videos
        </a>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h1 dir="auto">{video.title ?? 'Untitled'}</h1>
          <span className="rounded-sm border border-line px-2 py-px text-sm font-semibold" role="status">
            {VIDEO_STATES[state] ?? state}
            {progress === undefined ? '' : ` ${progress} %`}
          </span>
          {video.length === undefined ? null : (
            <span className="text-sm text-muted">{duration(video.length * 1000)}</span>
          )}
          <span className="mr-auto max-md:basis-full" />
          <VideoActions video={video} onRenamed={reload} />
        </div>
        <p className="text-sm text-muted">
          {video.from?.name ?? ''} · video {video.id}
          {made}
          {video.live_video === undefined ? null : (
            <>
              {' · '}
              <a className={LINK} href={linkTo.broadcast(video.live_video.id)}>
                Broadcast and its errors
              </a>
            </>
          )}
        </p>
      </div>
      {(video.status?.processing_phase?.errors ?? []).map(({ message }) => (
        <Fault key={message} message={message ?? 'Processing failed.'} />
      ))}
      <div className="grid items-start gap-x-5 xl:grid-cols-[minmax(0,1fr)_400px]">
        <div className="min-w-0">
          <UploadErrors id={video.id} state={state} live={video.live_video?.id} />
          {video.source === undefined ? null : <Player video={video} captions={captions.rows ?? []} player={player} />}
        </div>
        <div className="min-w-0">
          <Captions id={video.id} captions={captions} seek={seek} />
          <Thumbnails id={video.id} state={state} />
        </div>
      </div>
    </article>
  );
}

function Player(props: {
  video: VideoView;
  captions: readonly CaptionRow[];
  player: RefObject<HTMLVideoElement | null>;
}): JSX.Element {
  const { video, captions, player } = props;
  return (
    <div className={`mb-4 ${SCREEN}`}>
      {/* biome-ignore lint/a11y/useMediaCaption: the tracks are those that were uploaded */}
      <video
        ref={player}
        className={FILLS_SCREEN}
        controls
        preload="metadata"
        playsInline
        src={video.source}
        aria-label={video.title ?? 'Video'}
      >
        {captions.map((row) => (
          <track
            key={row.locale}
            kind="captions"
            src={row.webvtt_uri}
            srcLang={row.locale.replace('_', '-')}
            label={row.locale_name}
            default={row.is_default === true}
          />
        ))}
      </video>
    </div>
  );
}

/** Reread when the state changes: the errors of a file are known after it has been probed. */
function UploadErrors({ id, state, live }: { id: string; state: string; live: string | undefined }): JSX.Element {
  const nowMs = useNow(5_000);
  const [openedMs] = useState(nowMs);
  // Reread once more after a delay: the records of a file may be stored shortly after its state.
  const log = useWholeLog(id, NONE, `${state} ${nowMs - openedMs > LATE_MS}`);
  if (log.fault !== '') return <Fault message={log.fault} retry={log.retry} />;
  const judged = log.complete && !IN_PROGRESS.has(state);
  return (
    <>
      {judged && log.records.length === 0 ? <Callout tone="pass">No errors: all checks pass.</Callout> : null}
      {live === undefined || log.records.length === 0 ? (
        <AdviceBox advice={adviceOf(log.records)} />
      ) : (
        <AdviceOfBroadcast id={live} records={log.records} />
      )}
      <OpenErrors records={log.records} all={log.records} nowMs={nowMs} />
    </>
  );
}

/** With the values of its frame rate, which the broadcast's history knows. */
function AdviceOfBroadcast({ id, records }: { id: string; records: readonly ErrorView[] }): JSX.Element {
  const { history } = useHistory(id, undefined, false, true);
  return <AdviceBox advice={adviceOf(records, sentOf(history))} />;
}

const NONE: ReadonlyMap<string, ErrorView> = new Map();

interface ThumbnailRow {
  readonly id: string;
  readonly uri?: string;
  readonly is_preferred?: boolean;
}

/** Reread when the state changes: processing adds thumbnails taken from the file. */
function Thumbnails({ id, state }: { id: string; state: string }): JSX.Element {
  const { api } = useSession();
  const { rows, fault, read } = useRows<ThumbnailRow>(
    api,
    `/${id}/thumbnails`,
    { fields: 'id,uri,is_preferred' },
    state,
  );
  const add = async (file: File): Promise<void> => {
    const form = new FormData();
    form.append('source', file);
    form.append('is_preferred', 'true');
    await api.postForm(`/${id}/thumbnails`, form);
    await read();
  };
  return (
    <Card title="Thumbnails">
      {fault === '' ? null : <Fault message={fault} retry={() => void read()} />}
      {rows?.length === 0 ? <p className="text-sm text-muted">None yet.</p> : null}
      <ul className="my-2 grid grid-cols-[repeat(auto-fill,minmax(140px,1fr))] gap-2.5">
        {(rows ?? []).map((row, index) => (
          <li key={row.id}>
            <img
              className="mb-1 block aspect-video w-full rounded-md bg-ground object-cover"
              src={row.uri}
              alt={`Thumbnail ${index + 1}`}
              loading="lazy"
            />
            {row.is_preferred ? (
              <Badge tone="pass">Selected</Badge>
            ) : (
              <ActionButton act={() => api.post(`/${id}`, { preferred_thumbnail_id: row.id }).then(read)}>
                Select
              </ActionButton>
            )}
          </li>
        ))}
      </ul>
      <FilePick
        label={rows?.length === 0 ? 'Add a thumbnail' : 'Replace the thumbnail'}
        accept="image/jpeg,image/png,image/gif,image/webp"
        hint="JPEG, PNG, GIF or WebP. It becomes the selected one."
        take={add}
      />
    </Card>
  );
}

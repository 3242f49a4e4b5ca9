/** Reads what the report on a broadcast is made of. */
import { buffer } from 'node:stream/consumers';
import { reportOf, stateOf } from '../../api/resources/forward.js';
import { SeriesStore } from '../../dashboard/history/series-store.js';
import type { Series } from '../../dashboard/view/health-series.js';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, VideoData } from '../../lifecycle/documents.js';
import { isOver } from '../../lifecycle/lifecycle.js';
import {
  type Blobs,
  type Clock,
  edgeOf,
  type ForwardSettings,
  forwardsOf,
  type Store,
  type StoredForward,
  type StoredObject,
  type StreamHealth,
  VOLATILE,
} from '../../ports/index.js';
import {
  type BroadcastReport,
  type BroadcastSources,
  type ForwardedReport,
  type InputSource,
  liveReport,
  type StreamReport,
} from '../../report/report.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { type ForwardSeen, forwardSentence } from '../../spec/forward-sentence.js';
import type { ThumbnailData } from '../../vod/videos/video-writer.js';

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
  /** Where the thumbnail is read. Absent: the report has no picture. */
  readonly blobs?: Pick<Blobs, 'stat' | 'read'>;
  /** Absent: forwards are off. */
  readonly forwards?: ForwardSettings;
}

/** Undefined: there is no such broadcast. */
export async function reportOnId(deps: ReportDeps, id: string): Promise<BroadcastReport | undefined> {
  const live = await deps.store.objects.get<LiveVideoData>(id);
  return live?.kind === 'live_video' ? reportOn(deps, live) : undefined;
}

export async function reportOn(deps: ReportDeps, live: LiveVideo): Promise<BroadcastReport> {
  const { store, clock, history } = deps;
  const saved = new SeriesStore(store);
  const [own, before, forwards, inputs, stream, picture] = await Promise.all([
    sourcesOf(store, history ?? saved, live, REPORT.records),
    previousOf(store, live),
    forwardsSeen(deps, live),
    inputsOf(store, live),
    streamOf(store, live.id),
    pictureOf(deps, live),
  ]);
  const previous = await Promise.all(before.map((each) => sourcesOf(store, saved, each, REPORT.recordsCompared)));
  return liveReport({
    ...own,
    ...defined({ stream, picture }),
    titles: TITLES,
    previous,
    forwards,
    inputs,
    nowMs: clock.wallMs(),
  });
}

/** The last stream, or what the charts know of it. */
async function streamOf({ volatile }: Store, id: string): Promise<StreamReport | undefined> {
  const last = (await volatile.get(VOLATILE.lastStream(id))) as StreamHealth | undefined;
  if (last === undefined) return undefined;
  const isKnown = (value: number | undefined) => value !== undefined && Number.isFinite(value);
  return defined({
    encoder: last.encoder === '' ? undefined : last.encoder,
    width: last.width,
    height: last.height,
    frame_rate: isKnown(last.frameRate) ? Math.round((last.frameRate ?? 0) * 100) / 100 : undefined,
    video_codec: last.videoCodec,
    h264_level_idc: last.levelIdc,
    audio_codec: last.audioCodec,
    sample_rate: last.sampleRate,
    channels: last.channels,
  });
}

/** A larger thumbnail is not put into a page. */
const PICTURE_BYTES_MAX = 400_000;

/** The thumbnail of the recording that was chosen, or its first. */
async function pictureOf({ store: { objects }, blobs }: ReportDeps, live: LiveVideo): Promise<string | undefined> {
  if (blobs === undefined) return undefined;
  const video = await objects.get<VideoData>(live.data.videoId);
  const { entries } = await objects.page(edgeOf(live.data.videoId, 'thumbnails'), { limit: 1, ascending: true });
  const id = video?.data.preferredThumbnailId ?? entries[0]?.member;
  const thumbnail = id === undefined ? undefined : await objects.get<ThumbnailData>(id);
  if (thumbnail?.kind !== 'thumbnail' || thumbnail.data.mimeType !== 'image/jpeg') return undefined;
  const { blobId } = thumbnail.data;
  const size = (await blobs.stat(blobId))?.size ?? Number.POSITIVE_INFINITY;
  return size > PICTURE_BYTES_MAX
    ? undefined
    : `data:image/jpeg;base64,${(await buffer(await blobs.read(blobId))).toString('base64')}`;
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

/** Both input streams; none where there is one. */
async function inputsOf({ volatile }: Store, { id, data }: LiveVideo): Promise<readonly InputSource[]> {
  const { inputStreamIds: ids = [] } = data;
  if (ids.length < 2) return [];
  const read = async (key: string) => (await volatile.get(key)) as StreamHealth | undefined;
  const healthOf = async (of: string): Promise<StreamHealth | undefined> => {
    const [now, last] = await Promise.all([read(VOLATILE.health(of)), read(VOLATILE.lastStream(of))]);
    const isNow = !isOver(data) && now !== undefined && (last === undefined || now.atMs > last.atMs);
    return isNow ? now : last && { ...last, connected: false };
  };
  const [onAir, ...both] = await Promise.all([id, ...ids].map(healthOf));
  return ids.map((each, index) => ({
    id: each,
    isOnAir: onAir?.inputStream === each,
    ...defined({ health: both[index] }),
  }));
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
    .filter(({ data }) => isOver(data) && data.broadcastStartMs !== undefined)
    .slice(0, REPORT.compared);
}

const TITLES = new Map(CATALOGUE.map(({ code, title }) => [code, title]));
const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

async function forwardsSeen(deps: ReportDeps, live: LiveVideo): Promise<readonly ForwardedReport[]> {
  const found = await forwardsOf(deps.store.objects, [live.id, live.data.ownerId]);
  return Promise.all(found.map((forward) => forwardSeen(deps, forward, live)));
}

/** `live`: the broadcast that it is seen from. */
export async function forwardSeen(
  deps: ReportDeps,
  forward: StoredForward,
  live?: LiveVideo,
): Promise<ForwardedReport> {
  const { id, data } = forward;
  const seenFrom = { ...forward, ...defined({ liveVideoId: live?.id }) };
  const [report, state] = await Promise.all([reportOf(seenFrom, deps), stateOf(seenFrom, deps)]);
  const seen: ForwardSeen = {
    name: data.name,
    when: data.when,
    state,
    ...defined({
      since: isoOf(report?.sinceMs),
      next_try_time: isoOf(report?.nextTryMs),
      reason: report?.reason,
      held_by: report?.heldBy,
      sent_kbps: report?.sentKbps,
      lag_ms: report?.lagMs,
      dropped_ms: report?.droppedMs,
    }),
  };
  return {
    id,
    name: data.name,
    target: new URL(data.url).host,
    state,
    text: forwardSentence(seen, {
      nowMs: deps.clock.wallMs(),
      over: live !== undefined && isOver(live.data),
      titleOf: (code) => TITLES.get(code) ?? String(code),
      clockTime: (ms) => `${new Date(ms).toISOString().slice(11, 19)} UTC`,
    }),
    ...defined({ bytes_sent: report?.bytesSent, dropped_ms: report?.droppedMs }),
  };
}

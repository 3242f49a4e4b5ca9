/** Changes of Video documents by jobs. Concurrent changes, such as those of the HTTP interface, are preserved. */
import type { LiveVideoData, VideoData } from '../../lifecycle/documents.js';
import {
  type Clock,
  chargeWrites,
  DERIVED_ID,
  edgeOf,
  type IdSource,
  type ObjectStore,
  type Store,
  type StoredObject,
  SYSTEM_EDGES,
  updateObject,
  type Write,
} from '../../ports/index.js';

export type Video = StoredObject<VideoData>;

/** The video was deleted while a job worked on it. */
export class VideoGoneError extends Error {
  override readonly name = 'VideoGoneError';
  readonly code = 'VIDEO_GONE';
}

/** The data of an object of kind `thumbnail`, listed in the edge `thumbnails` of its video, oldest first. */
export interface ThumbnailData {
  /** The video. */
  readonly rootId: string;
  /** URL path without signature. */
  readonly url: string;
  readonly blobId: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

export interface NewPicture {
  readonly id: string;
  readonly key: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Lists the recording for the retention of its file, if it is one. Commit it with the document that names the file, which was
 * made at `madeMs`.
 */
export function retentionWrites({ id, data }: Video, madeMs: number): Write[] {
  return data.liveVideoId === undefined
    ? []
    : [{ op: 'edgeAdd', ...SYSTEM_EDGES.keptRecordings, member: id, score: madeMs }];
}

export class VideoWriter {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly ids: IdSource;

  constructor(store: ObjectStore, clock: Clock, ids: IdSource) {
    this.#store = store;
    this.#clock = clock;
    this.ids = ids;
  }

  /** @throws VideoGoneError */
  async load(videoId: string): Promise<Video> {
    return requireVideo(videoId, await this.#store.get<VideoData>(videoId));
  }

  get nowMs(): number {
    return this.#clock.wallMs();
  }

  /** Writes `change(document)` together with `also`. @throws VideoGoneError */
  async change(
    videoId: string,
    change: (data: VideoData) => VideoData,
    also: (video: Video) => readonly Write[] = () => [],
  ): Promise<Video> {
    const changed = await updateObject<VideoData>(this.#store, this.#clock, videoId, (video) => {
      const { ownerId, chargedBytes = 0 } = requireVideo(videoId, video).data;
      const data = change(video.data);
      return { data, also: [...also(video), ...chargeWrites(ownerId, (data.chargedBytes ?? 0) - chargedBytes)] };
    });
    return requireVideo(videoId, changed);
  }

  /** Writes a thumbnail object and its entry in the video's list. */
  pictureWrites(videoId: string, picture: NewPicture): Write[] {
    const wallMs = this.#clock.wallMs();
    const { id, key, width, height } = picture;
    const data: ThumbnailData = {
      rootId: videoId,
      url: `/files/${key}`,
      blobId: key,
      mimeType: 'image/jpeg',
      width,
      height,
    };
    return [
      { op: 'put', object: { id, kind: 'thumbnail', createdMs: wallMs, updatedMs: wallMs, data }, expect: 0 },
      { op: 'edgeAdd', ...edgeOf(videoId, 'thumbnails'), member: id, score: wallMs },
    ];
  }
}

function requireVideo(id: string, found: Video | undefined): Video {
  if (found?.kind !== 'video') throw new VideoGoneError(`the video ${id} no longer exists`);
  return found;
}

/** Entry in the owner's list of videos, newest first; added once the video is visible. */
export function listed(video: Video): Write[] {
  return [{ op: 'edgeAdd', ...edgeOf(video.data.ownerId, 'videos'), member: video.id, score: video.createdMs }];
}

/** The Video that a recording fills, also once the live video of the broadcast was deleted. */
interface RecordedVideo {
  readonly videoId: string;
  /** Absent: it was deleted. */
  readonly live: LiveVideoData | undefined;
}

/** `undefined`: the Video was deleted with the live video, or after it. */
export async function recordedVideo(
  { objects }: Pick<Store, 'objects'>,
  liveVideoId: string,
): Promise<RecordedVideo | undefined> {
  const live = await objects.get<LiveVideoData>(liveVideoId);
  if (live !== undefined) return { videoId: live.data.videoId, live: live.data };
  const stone = await objects.get<{ readonly keptVideoId?: string }>(DERIVED_ID.tombstone(liveVideoId));
  const videoId = stone?.data.keptVideoId;
  if (videoId === undefined || (await objects.get<VideoData>(videoId)) === undefined) return undefined;
  return { videoId, live: undefined };
}

/** Changes of Video documents by jobs: whoever else changes one meanwhile (the HTTP interface) keeps what it changed. */
import type { VideoData } from '../../broadcast/documents.js';
import {
  type Clock,
  ConflictError,
  chargeWrites,
  type IdSource,
  type ObjectStore,
  type StoredObject,
  type Write,
} from '../../ports/index.js';

export type Video = StoredObject<VideoData>;

/** The video was deleted while it was worked on. */
export class VideoGoneError extends Error {
  override readonly name = 'VideoGoneError';
  readonly code = 'VIDEO_GONE';
}

const ATTEMPTS = 8;

/** The data of an object of kind `thumbnail`, listed in the edge `thumbnails` of its video, oldest first. */
export interface ThumbnailData {
  /** The video. */
  readonly rootId: string;
  /** Path below the HTTP address, to be signed. */
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
    const video = await this.#store.get<VideoData>(videoId);
    if (video?.kind !== 'video') throw new VideoGoneError(`the video ${videoId} does not exist any more`);
    return video;
  }

  get nowMs(): number {
    return this.#clock.wallMs();
  }

  /** Writes what `change` makes of the document, together with `also`. @throws VideoGoneError */
  async change(
    videoId: string,
    change: (data: VideoData) => VideoData,
    also: (video: Video) => readonly Write[] = () => [],
  ): Promise<Video> {
    for (let attempt = 1; ; attempt++) {
      const video = await this.load(videoId);
      const { id, kind, createdMs, version } = video;
      const object = { id, kind, createdMs, updatedMs: this.#clock.wallMs(), data: change(video.data) };
      try {
        const charged = (object.data.chargedBytes ?? 0) - (video.data.chargedBytes ?? 0);
        await this.#store.commit([
          { op: 'put', object, expect: version },
          ...also(video),
          ...chargeWrites(video.data.ownerId, charged),
        ]);
        return { ...object, version: version + 1 };
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  /** A thumbnail object and its place in the list of the video. */
  pictureWrites(videoId: string, picture: NewPicture): Write[] {
    const atMs = this.#clock.wallMs();
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
      { op: 'put', object: { id, kind: 'thumbnail', createdMs: atMs, updatedMs: atMs, data }, expect: 0 },
      { op: 'edgeAdd', owner: videoId, edge: 'thumbnails', member: id, score: atMs },
    ];
  }
}

/** The owner's list of videos, newest first; a video stands in it from when there is something to see. */
export function listed(video: Video): Write[] {
  return [{ op: 'edgeAdd', owner: video.data.ownerId, edge: 'videos', member: video.id, score: video.createdMs }];
}

/** The last stage of every media job: pictures are taken, files go to their place, the document says so in one write. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoData } from '../../broadcast/documents.js';
import type { ProbedFile } from '../../facts/probed-file.js';
import { isCode } from '../../lib/errors.js';
import type { Blobs, Log } from '../../ports/index.js';
import { videoPrefix } from '../blobs/blob-key.js';
import { retentionWrites } from '../videos/kept-recordings.js';
import { listed, type NewPicture, type Video, type VideoWriter } from '../videos/video-writer.js';
import { jpegSize } from './jpeg-size.js';
import type { MediaPort } from './media-port.js';
import { withoutProcessingErrors } from './processing-errors.js';

export interface PublishDeps {
  readonly blobs: Blobs;
  readonly media: MediaPort;
  readonly videos: VideoWriter;
  readonly log: Log;
}

export interface FinishedFile {
  readonly videoId: string;
  /** A streamable MP4 on the local disk; it is taken over. */
  readonly path: string;
  readonly probed: ProbedFile;
  /** For pictures. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Parts of the length at which pictures are taken; the second one is preferred. */
const PICTURES_AT = [0.02, 0.2, 0.4, 0.6, 0.8] as const;
const PREFERRED = 1;

/** Resolves with the video as it stands then. @throws VideoGoneError */
export async function publishVideo(deps: PublishDeps, file: FinishedFile): Promise<Video> {
  const { blobs, videos } = deps;
  const { videoId, path, probed } = file;
  const before = await videos.load(videoId);
  const pictures = await takePictures(deps, file);
  file.signal.throwIfAborted();
  // A name of its own: a reader of an earlier source is not given other bytes half-way.
  const sourceKey = `${videoPrefix(videoId)}source-${videos.ids.next()}.mp4`;
  const { size } = await blobs.adopt(sourceKey, path);
  const preferred = (pictures[PREFERRED] ?? pictures[0])?.id;
  const change = (data: VideoData): VideoData => {
    const { recordingRemovedMs: _removed, ...rest } = withoutProcessingErrors(data);
    // One that its owner sent meanwhile stays the preferred one.
    const preferredThumbnailId = rest.preferredThumbnailId ?? preferred;
    return {
      ...rest,
      // A broadcast was published when it went LIVE.
      published: rest.published || rest.liveVideoId !== undefined,
      videoStatus: 'ready',
      processingProgress: 100,
      lengthMs: probed.lengthMs,
      ...(probed.video === undefined ? {} : { width: probed.video.width, height: probed.video.height }),
      sourceKey,
      sourceUrl: `/files/${sourceKey}`,
      sourceSize: size,
      chargedBytes: size,
      ...(preferredThumbnailId === undefined ? {} : { preferredThumbnailId }),
    };
  };
  const ready = await videos.change(videoId, change, (video) => [
    ...pictures.flatMap((picture) => videos.pictureWrites(videoId, picture)),
    ...listed(video),
    ...retentionWrites(video, videos.nowMs),
  ]);
  const { sourceKey: earlier } = before.data;
  if (typeof earlier === 'string' && earlier !== sourceKey) await blobs.delete(earlier);
  return ready;
}

/** A picture that cannot be taken is left out: a video without one is still a video. */
async function takePictures(deps: PublishDeps, file: FinishedFile): Promise<NewPicture[]> {
  const { probed, path, folder, signal } = file;
  if (probed.video === undefined) return [];
  const pictures: NewPicture[] = [];
  for (const part of PICTURES_AT) {
    signal.throwIfAborted();
    const id = deps.videos.ids.next();
    const output = join(folder, `${id}.jpg`);
    const atMs = Math.floor(probed.lengthMs * part);
    try {
      await deps.media.picture({ input: path, demuxer: 'mov', atMs, output, signal });
      const bytes = await readFile(output);
      const size = jpegSize(bytes);
      if (size === undefined) continue;
      const key = `${videoPrefix(file.videoId)}thumbnail-${id}.jpg`;
      await deps.blobs.put(key, bytes);
      pictures.push({ id, key, ...size });
    } catch (error) {
      // Behind the last frame ffmpeg writes nothing.
      if (!isCode(error, 'TOOL_FAILED') && !isCode(error, 'TOOL_TIMEOUT') && !isCode(error, 'ENOENT')) throw error;
      deps.log.debug({ videoId: file.videoId, atMs, error }, 'a picture could not be taken');
      // Later ones take longer still where there is one key frame only.
      if (isCode(error, 'TOOL_TIMEOUT')) break;
    }
  }
  return pictures;
}

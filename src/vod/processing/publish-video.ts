/** Last stage of every media job: takes pictures, moves files into place, and updates the document in one write. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProbedFile } from '../../facts/probed-file.js';
import { isCode } from '../../lib/errors.js';
import { defined } from '../../lib/objects.js';
import type { VideoData } from '../../lifecycle/documents.js';
import type { Blobs, Conversion, Log, PictureRequest } from '../../ports/index.js';
import { videoPrefix } from '../../store/blobs/blob-key.js';
import { listed, type NewPicture, retentionWrites, type Video, type VideoWriter } from '../videos/video-writer.js';
import { withoutProcessingErrors } from './processing-errors.js';

export interface PublishDeps {
  readonly blobs: Blobs;
  readonly media: MediaPort;
  readonly videos: VideoWriter;
  readonly log: Log;
  /** Comparison with copyright references. */
  readonly comparing?: {
    /** Whether there is anything to compare with. */
    isDue(): Promise<boolean>;
    order(videoId: string): Promise<void>;
  };
}

export interface FinishedFile {
  readonly videoId: string;
  /** A local fast-start MP4; the blob store takes it over. */
  readonly path: string;
  readonly probed: ProbedFile;
  /** Work folder for the pictures. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Positions of the pictures, as parts of the duration; the second one is preferred. */
const PICTURES_AT = [0.02, 0.2, 0.4, 0.6, 0.8] as const;
const PREFERRED = 1;

/** Resolves with the updated video. @throws VideoGoneError */
export async function publishVideo(deps: PublishDeps, file: FinishedFile): Promise<Video> {
  const { blobs, videos } = deps;
  const { videoId, path, probed } = file;
  const before = await videos.load(videoId);
  const pictures = await takePictures(deps, file);
  file.signal.throwIfAborted();
  // A unique name: readers of an earlier source must not get the bytes of another file.
  const sourceKey = `${videoPrefix(videoId)}source-${videos.ids.next()}.mp4`;
  const { size } = await blobs.adopt(sourceKey, path);
  const isCompared = (await deps.comparing?.isDue()) === true;
  const preferred = (pictures[PREFERRED] ?? pictures[0])?.id;
  const change = (data: VideoData): VideoData => {
    const { recordingRemovedMs: _removed, ...rest } = withoutProcessingErrors(data);
    // A picture that the owner uploaded meanwhile stays preferred.
    const preferredThumbnailId = rest.preferredThumbnailId ?? preferred;
    return {
      ...rest,
      // A broadcast is published when it goes LIVE.
      published: rest.published || rest.liveVideoId !== undefined,
      videoStatus: 'ready',
      ...(isCompared ? { copyrightCheck: { status: 'in_progress', matches: [] } } : {}),
      processingProgress: 100,
      lengthMs: probed.lengthMs,
      ...(probed.video === undefined ? {} : { width: probed.video.width, height: probed.video.height }),
      sourceKey,
      sourceUrl: `/files/${sourceKey}`,
      sourceSize: size,
      chargedBytes: size,
      ...defined({ preferredThumbnailId }),
    };
  };
  const ready = await videos.change(videoId, change, (video) => [
    ...pictures.flatMap((picture) => videos.pictureWrites(videoId, picture)),
    ...listed(video),
    ...retentionWrites(video, videos.nowMs),
  ]);
  const { sourceKey: earlier } = before.data;
  if (typeof earlier === 'string' && earlier !== sourceKey) await blobs.delete(earlier);
  if (isCompared) await deps.comparing?.order(videoId);
  return ready;
}

/** A picture that cannot be taken is skipped. */
async function takePictures(deps: PublishDeps, file: FinishedFile): Promise<NewPicture[]> {
  const { probed, path, folder, signal } = file;
  if (probed.video === undefined) return [];
  const pictures: NewPicture[] = [];
  for (const part of PICTURES_AT) {
    signal.throwIfAborted();
    const id = deps.videos.ids.next();
    const output = join(folder, `${id}.jpg`);
    const positionMs = Math.floor(probed.lengthMs * part);
    try {
      await deps.media.picture({ input: path, demuxer: 'mov', positionMs, output, signal });
      const bytes = await readFile(output);
      const size = jpegSize(bytes);
      if (size === undefined) continue;
      const key = `${videoPrefix(file.videoId)}thumbnail-${id}.jpg`;
      await deps.blobs.put(key, bytes);
      pictures.push({ id, key, ...size });
    } catch (error) {
      // After the last frame ffmpeg writes no file.
      if (!isCode(error, 'TOOL_FAILED') && !isCode(error, 'TOOL_TIMEOUT') && !isCode(error, 'ENOENT')) throw error;
      deps.log.debug({ videoId: file.videoId, positionMs, error }, 'cannot take a picture');
      // With a single key frame, later pictures take even longer.
      if (isCode(error, 'TOOL_TIMEOUT')) break;
    }
  }
  return pictures;
}

/** Width and height of a JPEG from its frame header (ITU-T T.81, B.2.2). */
export function jpegSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  for (let at = 2; at + 9 < bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    // SOF0 to SOF15, except DHT, JPG and DAC, which share the range.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: uint16(bytes, at + 5), width: uint16(bytes, at + 7) };
    at += 2 + uint16(bytes, at + 2);
  }
  return undefined;
}

function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** ffmpeg and ffprobe as the media jobs use them (implemented by `probe/media-tools.ts`). */
export interface MediaPort {
  /** An unreadable file is a result with `facts.fault`, not an error. */
  probe(path: string, signal?: AbortSignal): Promise<ProbedFile>;
  /** Writes a fast-start MP4. */
  convert(conversion: Conversion): Promise<void>;
  /** Writes the frame at `positionMs` as a JPEG. */
  picture(request: PictureRequest): Promise<void>;
}

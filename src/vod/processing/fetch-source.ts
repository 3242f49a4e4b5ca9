/** Provides an upload as one local file. A blob that is a local file is hard-linked; it stays until the video is ready. */
import { copyFile, type FileHandle, link, open } from 'node:fs/promises';
import { isCode } from '../../lib/errors.js';
import type { Blobs, Store } from '../../ports/index.js';
import { incomingPrefix } from '../../store/blobs/blob-key.js';
import { FinalJobError, type Job } from '../jobs/job.js';
import { listParts } from '../uploads/upload-session.js';
import type { Video } from '../videos/video-writer.js';
import type { ConversionRoom } from './conversion-room.js';

export interface SourceDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly room: ConversionRoom;
}

/** Writes the bytes to `path` as one file. */
export async function fetchSource(
  deps: SourceDeps,
  job: Job,
  video: Video,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const { blobs, room, store } = deps;
  const { key, sessionId } = job.data;
  const bytes = video.data.sourceFileSize ?? 0;
  if (typeof sessionId === 'string') {
    const parts = await listParts(store.objects, sessionId);
    if (parts.length === 0) throw new FinalJobError('the parts of the upload are missing');
    await room.run(bytes, signal, (whileRoom) => join(blobs, parts, path, whileRoom));
    return;
  }
  const blobKey = typeof key === 'string' ? key : `${incomingPrefix(video.id)}source`;
  const local = blobs.localPath(blobKey);
  if (local === undefined) {
    await room.run(bytes, signal, (whileRoom) => join(blobs, [{ key: blobKey, offset: 0 }], path, whileRoom));
    return;
  }
  try {
    await link(local, path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) throw new FinalJobError('the uploaded file is missing');
    // Another file system, or one without hard links.
    await copyFile(local, path);
  }
}

async function join(
  blobs: Blobs,
  parts: readonly { key: string; offset: number }[],
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for (const { key, offset } of parts) {
      if (offset !== size) throw new FinalJobError(`the upload has a gap at byte ${size}`);
      for await (const chunk of await blobs.read(key)) {
        signal.throwIfAborted();
        size += await writeAt(file, chunk as Uint8Array, size);
      }
    }
  } finally {
    await file.close();
  }
}

/** Writes the whole chunk and resolves with its length. */
async function writeAt(file: FileHandle, chunk: Uint8Array, position: number): Promise<number> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at, position + at);
    at += bytesWritten;
  }
  return chunk.length;
}

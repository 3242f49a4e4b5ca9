/** Files of videos and the ways in for them, as the modules ask for them of each other. Interfaces only. */
import type { Readable } from 'node:stream';
import type { OwnerKind } from '../broadcast/documents.js';

export interface BlobInfo {
  readonly size: number;
  /** Quoted, as HTTP writes it; another one whenever the bytes differ. */
  readonly etag: string;
  readonly modifiedMs: number;
}

/** The key names no blob (any more). */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  readonly code = 'BLOB_MISSING';
  readonly key: string;
  constructor(key: string) {
    super(`no blob has the key ${key}`);
    this.key = key;
  }
}

/**
 * Files of videos: sources, thumbnails, captions, parts of uploads. Keys are paths of lower-case letters, digits, `.`, `_`
 * and `-`, at most 200 characters. A blob is there whole or not at all; a write replaces what was there.
 */
export interface Blobs {
  readonly kind: 'folder' | 's3';
  put(key: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobInfo>;
  /** Takes over a file of the local disk: moved where that is possible, else copied and removed. */
  adopt(key: string, path: string): Promise<BlobInfo>;
  stat(key: string): Promise<BlobInfo | undefined>;
  /** Bytes from `start` to `end`, both inclusive. @throws BlobMissingError */
  read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** Nothing happens when there is none. */
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly size: number; readonly modifiedMs: number }>;
  /** Where the bytes lie on the local disk, when they do. To be read only. */
  localPath(key: string): string | undefined;
}

/** Links to files, for answers of the HTTP interface. */
export interface FileLinks {
  /** A path with a signature that lasts for some hours, from a stored path that begins with `/files/`. */
  sign(path: string): string;
}

// ---------------------------------------------------------------- uploads

export interface UploadOwner {
  readonly id: string;
  readonly kind: OwnerKind;
}

/** What a client says about a video when its bytes are complete; fields of the Video document. */
export type VideoFields = Readonly<Record<string, unknown>>;

/** Where the next chunk begins and ends: `start` equal to `end` says that all bytes are there. */
export interface UploadWindow {
  readonly startOffset: number;
  readonly endOffset: number;
}

/** A file of a request, streamed to the disk while the request is read. `discard` after use, whatever happened. */
export interface ReceivedFile {
  readonly fileName: string;
  readonly size: number;
  /** On the local disk, already on its platter. */
  readonly path: string;
  discard(): Promise<void>;
}

/** Faults are thrown as ServiceError: VIDEO__CREATE_FAILED for files, 1363037 with `start_offset` and `end_offset` for a wrong offset. */
export interface Uploads {
  /** Bytes of one file of a request; refuses more than `maxBytes`. Leaves nothing behind when it throws. */
  receive(source: AsyncIterable<Uint8Array>, options: { fileName: string; maxBytes?: number }): Promise<ReceivedFile>;
  /** A video of a whole file; resolves with its id when the file is safe. */
  create(owner: UploadOwner, file: ReceivedFile, fields: VideoFields): Promise<string>;
  /** A video of what a public address gives. `by`: who asks; few addresses are fetched for one at a time. */
  createFromUrl(owner: UploadOwner, url: string, fields: VideoFields, by: string): Promise<string>;
  start(
    owner: UploadOwner,
    fileSize: number,
    fields: VideoFields,
  ): Promise<UploadWindow & { readonly sessionId: string; readonly videoId: string }>;
  transfer(ownerId: string, sessionId: string, startOffset: number, chunk: ReceivedFile): Promise<UploadWindow>;
  /** Resolves with the id of the video. Asked again it answers the same. */
  finish(ownerId: string, sessionId: string, fields: VideoFields): Promise<string>;
  cancel(ownerId: string, sessionId: string): Promise<void>;
  /** Makes the video visible at that time, if it is still unpublished then. */
  publishAt(videoId: string, atMs: number): Promise<void>;
  /** Deletes the files of a video whose document is being deleted. */
  removeFiles(videoId: string): Promise<void>;
}

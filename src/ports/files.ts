/** Ports for files of videos and for uploads. Interfaces only. */
import type { Readable } from 'node:stream';
import type { OwnerKind } from '../lifecycle/documents.js';

export interface BlobInfo {
  readonly size: number;
  /** HTTP entity tag, quoted; changes with the bytes. */
  readonly etag: string;
  readonly modifiedMs: number;
}

/** There is no blob with this key, or it was deleted. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  readonly code = 'BLOB_MISSING';
  readonly key: string;
  constructor(key: string) {
    super(`no blob with the key ${key}`);
    this.key = key;
  }
}

/**
 * Files of videos: sources, thumbnails, captions, parts of uploads. Keys are paths of lower-case letters, digits, `.`, `_`
 * and `-`, at most 200 characters. Writes are atomic; a write replaces an existing blob.
 */
export interface Blobs {
  readonly kind: 'folder' | 's3';
  put(key: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobInfo>;
  /** Moves a file of the local disk into the store, or copies and removes it where a move is impossible. */
  adopt(key: string, path: string): Promise<BlobInfo>;
  stat(key: string): Promise<BlobInfo | undefined>;
  /** Bytes from `start` to `end`, both inclusive. @throws BlobMissingError */
  read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** Does nothing if there is no such blob. */
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly size: number; readonly modifiedMs: number }>;
  /** Path of the blob if it is on the local disk, for reading only. */
  localPath(key: string): string | undefined;
}

/** Links to files, for responses of the HTTP interface. */
export interface FileLinks {
  /**
   * Signs a stored path that starts with `/files/`; the signature lasts for some hours. `tokenId`: the token that asked
   * for the link, which ends with it.
   */
  sign(path: string, tokenId?: string): string;
}

// ---------------------------------------------------------------- uploads

export interface UploadOwner {
  readonly id: string;
  readonly kind: OwnerKind;
}

/** Fields of the Video document that a client sets when its upload is complete. */
export type VideoFields = Readonly<Record<string, unknown>>;

export interface FinishedUpload {
  readonly videoId: string;
  readonly isRepeated: boolean;
}

/** Range of the next chunk. `startOffset` equals `endOffset` when all bytes have arrived. */
export interface UploadWindow {
  readonly startOffset: number;
  readonly endOffset: number;
}

/** A file of a request, streamed to the disk while the request is read. Always `discard` it after use. */
export interface ReceivedFile {
  readonly fileName: string;
  readonly size: number;
  /** Path on the local disk; the file is flushed (fsync). */
  readonly path: string;
  discard(): Promise<void>;
}

/** Throws ServiceError: VIDEO__CREATE_FAILED for files, 1363037 with `start_offset` and `end_offset` for a wrong offset. */
export interface Uploads {
  /** Stores the bytes of one file of a request; refuses more than `maxBytes`. Removes the file if it throws. */
  receive(source: AsyncIterable<Uint8Array>, options: { fileName: string; maxBytes?: number }): Promise<ReceivedFile>;
  /** Creates a video from a complete file; resolves with its id when the file is durable. */
  create(owner: UploadOwner, file: ReceivedFile, fields: VideoFields): Promise<string>;
  /** Creates a video from a public URL. `by`: the requester, whose concurrent fetches are limited. */
  createFromUrl(owner: UploadOwner, url: string, fields: VideoFields, by: string): Promise<string>;
  start(
    owner: UploadOwner,
    fileSize: number,
    fields: VideoFields,
  ): Promise<UploadWindow & { readonly sessionId: string; readonly videoId: string }>;
  transfer(ownerId: string, sessionId: string, startOffset: number, chunk: ReceivedFile): Promise<UploadWindow>;
  /** Resolves with the id of the video. Idempotent. */
  /** `isRepeated`: an earlier call has finished it, and `fields` are ignored. */
  finish(ownerId: string, sessionId: string, fields: VideoFields): Promise<FinishedUpload>;
  cancel(ownerId: string, sessionId: string): Promise<void>;
  /** Makes the video visible at that time, if it is still unpublished then. */
  publishAt(videoId: string, wallMs: number): Promise<void>;
  /** Makes the print of the video's sound, and compares it with all references. */
  fingerprint(videoId: string): Promise<void>;
  /** Deletes the files of a video whose document is being deleted. */
  removeFiles(videoId: string): Promise<void>;
}

export interface ConversionProgress {
  /** `part`: from 0 to 1. */
  report(part: number): void;
}

/** A request of a media job to ffmpeg. */
export interface Conversion {
  /** Path of a local file, or a byte stream. */
  readonly input: string | AsyncIterable<Uint8Array>;
  readonly demuxer: string;
  readonly output: string;
  /** `encode` gives H.264 video and AAC audio. */
  readonly video: 'copy' | 'encode' | 'none';
  readonly audio: 'copy' | 'encode' | 'none';
  /** Needed for progress from 0 to 1. */
  readonly lengthMs?: number;
  /** The conversion fails with TOOL_LIMIT when it takes longer. */
  readonly limitMs?: number;
  readonly progress?: ConversionProgress;
  readonly signal?: AbortSignal;
}

export interface PictureRequest {
  readonly input: string;
  readonly demuxer: string;
  readonly positionMs: number;
  readonly output: string;
  readonly signal?: AbortSignal;
}

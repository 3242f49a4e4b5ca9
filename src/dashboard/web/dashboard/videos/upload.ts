/**
 * Resumable upload: start, transfer the byte ranges that the server requests, finish. Network failures are retried with
 * backoff; an upload begun earlier in this browser is resumed.
 */
import { type Api, ApiError } from '../client/api.js';

export interface UploadProgress {
  readonly sent: number;
  readonly size: number;
  /** Waiting for the network or the server to come back. */
  readonly waiting: boolean;
}

interface Window {
  readonly start_offset: string;
  readonly end_offset: string;
}

interface Started extends Window {
  readonly upload_session_id: string;
  readonly video_id: string;
}

interface PendingUpload {
  readonly session: string;
  readonly videoId: string;
}

const STORAGE = globalThis.localStorage;

const WRONG_OFFSET = 1363037;
const UNKNOWN_SESSION = 1363041;
const TRIES = 12;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

const PREFIX = 'airlock.upload.';
const KEY = /^airlock\.upload\.\d+\.(\d+)\.\d+\.(.+)$/s;

export interface UnfinishedUpload {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  discard(): void;
}

/** Uploads that were begun in this browser and not finished. */
export function unfinishedUploads(): readonly UnfinishedUpload[] {
  return Object.keys(STORAGE).flatMap((key) => {
    const [, size, name] = KEY.exec(key) ?? [];
    if (size === undefined || name === undefined) return [];
    return [{ key, name, size: Number(size), discard: () => STORAGE.removeItem(key) }];
  });
}

const keyOf = (ownerId: string, file: File): string =>
  `${PREFIX}${ownerId}.${file.size}.${file.lastModified}.${file.name}`;

/** Resolves with the id of the video. @throws ApiError; DOMException AbortError when `signal` aborts */
export async function uploadVideo(
  api: Api,
  ownerId: string,
  file: File,
  title: string,
  signal: AbortSignal,
  onProgress: (progress: UploadProgress) => void,
): Promise<string> {
  const path = `/${ownerId}/videos`;
  const key = keyOf(ownerId, file);
  const retrying = <T>(work: () => Promise<T>, sent: number): Promise<T> =>
    withRetries(work, signal, (waiting) => onProgress({ sent, size: file.size, waiting }));

  const begin = async (): Promise<PendingUpload & { window: Window }> => {
    const form = formOf({ upload_phase: 'start', file_size: String(file.size) });
    const {
      upload_session_id: session,
      video_id: videoId,
      ...window
    } = await retrying(() => api.postForm<Started>(path, form, signal), 0);
    STORAGE.setItem(key, JSON.stringify({ session, videoId }));
    return { session, videoId, window };
  };

  const kept = pendingUpload(key);
  // To resume, offset 0 is sent: the server rejects it and answers with the expected offset.
  let { session, videoId, window } =
    kept === undefined ? await begin() : { ...kept, window: { start_offset: '0', end_offset: '1' } };
  while (window.start_offset !== window.end_offset) {
    const [from, to] = [Number(window.start_offset), Number(window.end_offset)];
    onProgress({ sent: from, size: file.size, waiting: false });
    const form = formOf({ upload_phase: 'transfer', upload_session_id: session, start_offset: window.start_offset });
    form.append('video_file_chunk', file.slice(from, to), 'chunk');
    try {
      window = await retrying(() => api.postForm<Window>(path, form, signal), from);
    } catch (error) {
      const where = offsetsOf(error);
      if (where !== undefined) window = where;
      else if (error instanceof ApiError && error.fault.subcode === UNKNOWN_SESSION && kept?.session === session) {
        ({ session, videoId, window } = await begin());
      } else throw error;
    }
  }
  onProgress({ sent: file.size, size: file.size, waiting: false });
  const finish = formOf({ upload_phase: 'finish', upload_session_id: session, title });
  await retrying(() => api.postForm(path, finish, signal), file.size);
  STORAGE.removeItem(key);
  return videoId;
}

function pendingUpload(key: string): PendingUpload | undefined {
  const text = STORAGE.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as PendingUpload);
}

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** The byte range that the server expects, if `error` is a wrong-offset error. */
function offsetsOf(error: unknown): Window | undefined {
  if (!(error instanceof ApiError) || error.fault.subcode !== WRONG_OFFSET) return undefined;
  const { start_offset, end_offset } = error.fault.data as { start_offset: number; end_offset: number };
  return { start_offset: String(start_offset), end_offset: String(end_offset) };
}

async function withRetries<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onWaiting: (waiting: boolean) => void,
): Promise<T> {
  let waitMs = FIRST_WAIT_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isTransient = error instanceof ApiError && error.fault.transient && error.fault.subcode !== WRONG_OFFSET;
      if (!isTransient || attempt >= TRIES) throw error;
      onWaiting(true);
      await pause(waitMs, signal);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('stopped', 'AbortError'));
    });
  });
}

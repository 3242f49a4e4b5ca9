/**
 * The resumable upload protocol. The offset in the store is authoritative: a chunk is stored, synced and then counted by
 * one conditional write of the session, so that a chunk sent twice, by two clients, after a restart or to another machine
 * is counted once. Chunks that were not counted are swept.
 */
import type { VideoData } from '../../lifecycle/documents.js';
import {
  type Blobs,
  type Clock,
  chargeWrites,
  type FinishedUpload,
  type IdSource,
  type OwnerQuota,
  ownedVideos,
  type ReceivedFile,
  retryConflicts,
  type Store,
  SYSTEM_EDGES,
  type UploadOwner,
  type UploadWindow,
  type VideoFields,
  type Write,
} from '../../ports/index.js';
import { partsPrefix } from '../../store/blobs/blob-key.js';
import type { JobQueue } from '../jobs/job-queue.js';
import { VideoGoneError, type VideoWriter } from '../videos/video-writer.js';
import {
  beyondEnd,
  incomplete,
  tooLarge,
  tooManySessions,
  tooSmall,
  unknownSession,
  writeFailed,
  wrongOffset,
} from './faults.js';
import { UPLOADS } from './limits.js';
import { listParts, openSessions, partsOf, type UploadSession, type UploadSessionData } from './upload-session.js';

export interface ResumableDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly jobs: JobQueue;
  readonly videos: VideoWriter;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly quota: OwnerQuota;
}

export class ResumableUploads {
  readonly #deps: ResumableDeps;

  constructor(deps: ResumableDeps) {
    this.#deps = deps;
  }

  async start(
    owner: UploadOwner,
    fileSize: number,
    fields: VideoFields,
  ): Promise<UploadWindow & { sessionId: string; videoId: string }> {
    if (fileSize < UPLOADS.fileBytesMin) throw tooSmall();
    if (fileSize > UPLOADS.fileBytesMax) throw tooLarge(UPLOADS.fileBytesMax);
    const { store, clock, ids } = this.#deps;
    await this.#deps.quota.requireObject(owner.id);
    await this.#deps.quota.requireBytes(owner.id, fileSize);
    await this.#makeRoom(owner.id);
    const nowMs = clock.wallMs();
    const expiresMs = nowMs + UPLOADS.sessionLifeMs;
    const sessionId = ids.next();
    const videoId = ids.next();
    const who = { ownerId: owner.id, ownerKind: owner.kind };
    const session: UploadSessionData = { ...who, videoId, fileSize, received: 0, state: 'open', expiresMs };
    const video: VideoData = {
      published: true,
      ...fields,
      ...who,
      videoStatus: 'uploading',
      bytesTransferred: 0,
      sourceFileSize: fileSize,
      chargedBytes: fileSize,
      uploadSessionId: sessionId,
    };
    const at = { createdMs: nowMs, updatedMs: nowMs };
    await store.objects.commit([
      { op: 'put', object: { id: videoId, kind: 'video', ...at, data: video }, expect: 0 },
      { op: 'put', object: { id: sessionId, kind: 'upload_session', ...at, data: session }, expect: 0 },
      { op: 'edgeAdd', ...SYSTEM_EDGES.uploadSessions, member: sessionId, score: expiresMs },
      { op: 'edgeAdd', ...openSessions(owner.id), member: sessionId, score: nowMs },
      { op: 'edgeAdd', ...ownedVideos(owner.id), member: videoId, score: nowMs },
      ...chargeWrites(owner.id, fileSize),
    ]);
    return { sessionId, videoId, ...windowOf(session) };
  }

  /** Ends the session that has been idle longest. @throws ServiceError if every session received a chunk lately */
  async #makeRoom(ownerId: string): Promise<void> {
    const { store, clock } = this.#deps;
    const open = openSessions(ownerId);
    if ((await store.objects.edgeSize(open)) < UPLOADS.sessionsPerOwner) return;
    const { entries } = await store.objects.page(open, { limit: UPLOADS.sessionsPerOwner, ascending: true });
    const found = await store.objects.getMany(entries.map(({ member }) => member));
    const idlest = found
      .filter((each): each is UploadSession => each?.kind === 'upload_session')
      .reduce<UploadSession | undefined>((a, b) => (a === undefined || b.updatedMs < a.updatedMs ? b : a), undefined);
    if (idlest === undefined || clock.wallMs() - idlest.updatedMs < UPLOADS.sessionIdleMs) throw tooManySessions();
    await this.end(idlest, 'expired', 'The upload was idle and made room for another one.');
  }

  async transfer(ownerId: string, sessionId: string, startOffset: number, chunk: ReceivedFile): Promise<UploadWindow> {
    const { blobs, ids } = this.#deps;
    const before = await this.#session(ownerId, sessionId);
    const known = judgeChunk(before.data, startOffset, chunk.size);
    if (known !== undefined) return known;
    const key = `${partsPrefix(sessionId)}${String(startOffset).padStart(15, '0')}-${ids.next()}`;
    try {
      await blobs.adopt(key, chunk.path);
    } catch (error) {
      throw writeFailed(error);
    }
    const counted = await this.#count(ownerId, sessionId, startOffset, key, chunk.size);
    // Another copy of the same chunk was counted first.
    if (!counted.mine) await blobs.delete(key);
    return windowOf(counted.session);
  }

  async #count(
    ownerId: string,
    sessionId: string,
    offset: number,
    key: string,
    size: number,
  ): Promise<{ session: UploadSessionData; mine: boolean }> {
    const { store, clock } = this.#deps;
    const counted = await retryConflicts(async () => {
      const session = await this.#session(ownerId, sessionId);
      if (session.data.state !== 'open' || session.data.received !== offset)
        return { session: session.data, mine: false };
      const nowMs = clock.wallMs();
      const expiresMs = nowMs + UPLOADS.sessionLifeMs;
      const data: UploadSessionData = { ...session.data, received: offset + size, expiresMs };
      await store.objects.commit([
        putSession(session, data, nowMs),
        { op: 'edgeAdd', ...partsOf(sessionId), member: key, score: offset, value: { size } },
        { op: 'edgeAdd', ...SYSTEM_EDGES.uploadSessions, member: sessionId, score: expiresMs },
      ]);
      return { session: data, mine: true };
    });
    if (counted.mine) await this.#showProgress(counted.session);
    return counted;
  }

  /** Progress on the video, for clients; the session is authoritative. */
  async #showProgress({ videoId, received }: UploadSessionData): Promise<void> {
    try {
      await this.#deps.videos.change(videoId, (data) => ({ ...data, bytesTransferred: received }));
    } catch (error) {
      if (error instanceof VideoGoneError) throw unknownSession();
      throw error;
    }
  }

  async finish(ownerId: string, sessionId: string, fields: VideoFields): Promise<FinishedUpload> {
    const { store, jobs } = this.#deps;
    const finished = await retryConflicts(() => this.#finishSession(ownerId, sessionId, fields));
    // A repeated call may find only the job missing; adding an open job again changes nothing.
    const video = await store.objects.get<VideoData>(finished.videoId);
    if (video?.data.videoStatus === 'processing') await jobs.add('upload', finished.videoId, { sessionId });
    return finished;
  }

  async #finishSession(ownerId: string, sessionId: string, fields: VideoFields): Promise<FinishedUpload> {
    const { clock, videos } = this.#deps;
    const session = await this.#session(ownerId, sessionId);
    const { videoId, fileSize, received, state } = session.data;
    if (received < fileSize) throw incomplete(received, fileSize);
    if (state !== 'open') return { videoId, isRepeated: true };
    const expiresMs = clock.wallMs() + UPLOADS.finishedLifeMs;
    const data: UploadSessionData = { ...session.data, state: 'finished', expiresMs };
    try {
      await videos.change(
        videoId,
        (video) => ({ ...video, ...fields, videoStatus: 'processing', processingProgress: 0 }),
        () => [
          putSession(session, data, clock.wallMs()),
          { op: 'edgeRemove', ...openSessions(ownerId), member: sessionId },
          { op: 'edgeAdd', ...SYSTEM_EDGES.uploadSessions, member: sessionId, score: expiresMs },
        ],
      );
    } catch (error) {
      if (error instanceof VideoGoneError) throw unknownSession();
      throw error;
    }
    return { videoId, isRepeated: false };
  }

  async cancel(ownerId: string, sessionId: string): Promise<void> {
    const session = await this.#session(ownerId, sessionId);
    // A finished upload belongs to its video: delete that instead.
    if (session.data.state === 'finished') throw unknownSession();
    await this.end(session, 'upload_failed', 'The upload was canceled.');
  }

  /** Removes a session and its parts; the video keeps the outcome. */
  async end(session: UploadSession, videoStatus: 'upload_failed' | 'expired', message: string): Promise<void> {
    try {
      await this.#deps.videos.change(session.data.videoId, (data) => ({
        ...data,
        chargedBytes: 0,
        videoStatus,
        phaseErrors: [{ code: 6001, message }],
      }));
    } catch (error) {
      if (!(error instanceof VideoGoneError)) throw error;
    }
    await this.forget(session.id, session.data.ownerId);
  }

  /** Deletes the parts of a finished session. The session remains until it expires: a repeated finish finds its video. */
  async dropParts(sessionId: string): Promise<void> {
    const { store, blobs } = this.#deps;
    const parts = await listParts(store.objects, sessionId);
    await store.objects.commit(
      parts.map(({ key }): Write => ({ op: 'edgeRemove', ...partsOf(sessionId), member: key })),
    );
    for (const { key } of parts) await blobs.delete(key);
  }

  /** The session is removed first: the sweep finds parts without a session. */
  async forget(sessionId: string, ownerId: string): Promise<void> {
    const { store, blobs } = this.#deps;
    const parts = await listParts(store.objects, sessionId);
    await store.objects.commit([
      { op: 'delete', id: sessionId },
      { op: 'edgeRemove', ...SYSTEM_EDGES.uploadSessions, member: sessionId },
      { op: 'edgeRemove', ...openSessions(ownerId), member: sessionId },
    ]);
    for (const { key } of parts) await blobs.delete(key);
  }

  async #session(ownerId: string, sessionId: string): Promise<UploadSession> {
    const session = await this.#deps.store.objects.get<UploadSessionData>(sessionId);
    const isKnown = session?.kind === 'upload_session' && session.data.ownerId === ownerId;
    if (!isKnown || session.data.expiresMs <= this.#deps.clock.wallMs()) throw unknownSession();
    return session;
  }
}

function windowOf({ received, fileSize }: UploadSessionData): UploadWindow {
  return { startOffset: received, endOffset: Math.min(fileSize, received + UPLOADS.windowBytes) };
}

/** The answer for a chunk that must not be stored; undefined if it must. */
function judgeChunk(session: UploadSessionData, offset: number, size: number): UploadWindow | undefined {
  const window = windowOf(session);
  if (offset + size > session.fileSize) throw beyondEnd(session.fileSize);
  // A repeat after a lost answer.
  if (offset + size <= session.received) return window;
  if (offset !== session.received) throw wrongOffset(window.startOffset, window.endOffset);
  return undefined;
}

function putSession({ id, kind, createdMs, version }: UploadSession, data: UploadSessionData, nowMs: number): Write {
  return { op: 'put', object: { id, kind, createdMs, updatedMs: nowMs, data }, expect: version };
}

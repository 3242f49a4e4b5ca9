/** All upload paths (port `Uploads`): whole files, `file_url`, and the resumable protocol. */
import type { VideoData } from '../../lifecycle/documents.js';
import {
  chargeWrites,
  DERIVED_ID,
  type DiskReserve,
  type FinishedUpload,
  ownedVideos,
  type ReceivedFile,
  SYSTEM_EDGES,
  type UploadOwner,
  type Uploads,
  type UploadWindow,
  type VideoFields,
} from '../../ports/index.js';
import type { Segments } from '../../recording/segments.js';
import { incomingPrefix, videoPrefix } from '../../store/blobs/blob-key.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import type { JobData } from '../jobs/job.js';
import { createFailed, tooSmall, writeFailed } from './faults.js';
import { type FetchDeps, fetchFile } from './fetch-file.js';
import { type FetchLimits, FetchPlaces } from './fetch-places.js';
import { UPLOADS } from './limits.js';
import { receiveFile, requireSpace } from './receive-file.js';
import { type ResumableDeps, ResumableUploads } from './resumable.js';

export interface UploadServiceDeps extends ResumableDeps {
  readonly work: WorkFolder;
  readonly segments: Segments;
  readonly reserve?: DiskReserve | undefined;
  /** Why uploads are refused, if they are. */
  readonly refusal?: (() => string | undefined) | undefined;
  /** Downloads by `file_url`: networks beside public addresses; name resolution and concurrency limits in place of the usual. */
  readonly fetch?: (Pick<FetchDeps, 'resolve' | 'networks'> & { readonly limits?: FetchLimits }) | undefined;
}

export class UploadService implements Uploads {
  readonly resumable: ResumableUploads;
  readonly #deps: UploadServiceDeps;
  readonly #fetchPlaces: FetchPlaces;

  constructor(deps: UploadServiceDeps) {
    this.#deps = deps;
    this.resumable = new ResumableUploads(deps);
    this.#fetchPlaces = new FetchPlaces(deps.fetch?.limits ?? UPLOADS.fetches);
  }

  /** @throws ServiceError while no tool can open what clients send */
  #requireTools(): void {
    const reason = this.#deps.refusal?.();
    if (reason !== undefined) throw createFailed(reason, { ours: true });
  }

  async receive(
    source: AsyncIterable<Uint8Array>,
    options: { fileName: string; maxBytes?: number },
  ): Promise<ReceivedFile> {
    this.#requireTools();
    const { fileName, maxBytes = UPLOADS.fileBytesMax } = options;
    const { work, reserve } = this.#deps;
    return receiveFile(source, { path: work.path(), fileName, maxBytes, reserve });
  }

  /** The bytes are stored before the video is created; the video and its job are one write. */
  async create(owner: UploadOwner, file: ReceivedFile, fields: VideoFields): Promise<string> {
    if (file.size < UPLOADS.fileBytesMin) throw tooSmall();
    const { store, blobs, clock, ids, jobs, quota } = this.#deps;
    await quota.requireObject(owner.id);
    await quota.requireBytes(owner.id, file.size);
    const videoId = ids.next();
    const key = `${incomingPrefix(videoId)}source`;
    try {
      await blobs.adopt(key, file.path);
    } catch (error) {
      throw writeFailed(error);
    }
    const nowMs = clock.wallMs();
    const at = { createdMs: nowMs, updatedMs: nowMs };
    const video: VideoData = {
      published: true,
      ...fields,
      ownerId: owner.id,
      ownerKind: owner.kind,
      videoStatus: 'processing',
      processingProgress: 0,
      bytesTransferred: file.size,
      sourceFileSize: file.size,
      chargedBytes: file.size,
    };
    const id = DERIVED_ID.job('upload', videoId);
    const job: JobData = { type: 'upload', subjectId: videoId, failures: 0, key };
    try {
      await store.objects.commit([
        { op: 'put', object: { id: videoId, kind: 'video', ...at, data: video }, expect: 0 },
        { op: 'put', object: { id, kind: 'job', ...at, data: job }, expect: 0 },
        { op: 'edgeAdd', ...SYSTEM_EDGES.jobs, member: id, score: nowMs },
        { op: 'edgeAdd', ...ownedVideos(owner.id), member: videoId, score: nowMs },
        ...chargeWrites(owner.id, file.size),
      ]);
    } catch (error) {
      await blobs.delete(key);
      throw error;
    }
    jobs.wake();
    return videoId;
  }

  async createFromUrl(owner: UploadOwner, url: string, fields: VideoFields, by: string): Promise<string> {
    const receive: FetchDeps['receive'] = (source, fileName, maxBytes) => this.receive(source, { fileName, maxBytes });
    this.#requireTools();
    // Checked first, so that a file is not downloaded needlessly.
    await this.#deps.quota.requireObject(owner.id);
    await this.#deps.quota.requireBytes(owner.id, UPLOADS.fileBytesMin);
    const keys = [`client ${by}`, `server ${URL.canParse(url) ? new URL(url).hostname : ''}`];
    const file = await this.#fetchPlaces.run(keys, () => fetchFile({ ...this.#deps.fetch, receive }, url));
    try {
      return await this.create(owner, file, fields);
    } finally {
      await file.discard();
    }
  }

  async start(
    owner: UploadOwner,
    fileSize: number,
    fields: VideoFields,
  ): Promise<UploadWindow & { sessionId: string; videoId: string }> {
    this.#requireTools();
    const { blobs, work, reserve } = this.#deps;
    await requireSpace(work.root, blobs.kind === 'folder' ? fileSize : 0, reserve);
    return this.resumable.start(owner, fileSize, fields);
  }

  transfer(ownerId: string, sessionId: string, startOffset: number, chunk: ReceivedFile): Promise<UploadWindow> {
    return this.resumable.transfer(ownerId, sessionId, startOffset, chunk);
  }

  finish(ownerId: string, sessionId: string, fields: VideoFields): Promise<FinishedUpload> {
    return this.resumable.finish(ownerId, sessionId, fields);
  }

  cancel(ownerId: string, sessionId: string): Promise<void> {
    return this.resumable.cancel(ownerId, sessionId);
  }

  /** A new time replaces the earlier one. */
  async publishAt(videoId: string, wallMs: number): Promise<void> {
    const { jobs, clock } = this.#deps;
    await jobs.remove('publish', videoId);
    await jobs.add('publish', videoId, {}, Math.max(0, wallMs - clock.wallMs()));
  }

  async fingerprint(videoId: string): Promise<void> {
    await this.#deps.jobs.add('fingerprint', videoId);
  }

  /** Removes jobs first, so that none recreates files. The sweep removes what a crash leaves. */
  async removeFiles(videoId: string): Promise<void> {
    const { store, blobs, jobs, segments } = this.#deps;
    await jobs.remove('upload', videoId);
    await jobs.remove('publish', videoId);
    await jobs.remove('fingerprint', videoId);
    const video = await store.objects.get<VideoData>(videoId);
    const sessionId = video?.data.uploadSessionId;
    if (video !== undefined && typeof sessionId === 'string')
      await this.resumable.forget(sessionId, video.data.ownerId);
    if (video?.data.liveVideoId !== undefined) {
      await jobs.remove('recording', video.data.liveVideoId);
      await segments.remove(video.data.liveVideoId);
      await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.keptRecordings, member: videoId }]);
    }
    for (const prefix of [videoPrefix(videoId), incomingPrefix(videoId)]) {
      const keys: string[] = [];
      for await (const { key } of blobs.list(prefix)) keys.push(key);
      for (const key of keys) await blobs.delete(key);
    }
  }
}

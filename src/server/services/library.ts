/** Uploads and files of videos, for the process that serves HTTP. */
import { defined } from '../../lib/objects.js';
import type { Clock, FileLinks, IdSource, Log, OwnerQuota, PreviousKey, Store, Uploads } from '../../ports/index.js';
import { diskState } from '../../store/disk/free-space.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import { type FileHandler, type FileTokens, fileHandler } from '../../vod/files/file-handler.js';
import { SignedLinks } from '../../vod/files/signed-links.js';
import { UploadService, type UploadServiceDeps } from '../../vod/uploads/upload-service.js';
import { VideoWriter } from '../../vod/videos/video-writer.js';
import type { Storage } from './storage.js';

export interface LibraryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly quota: OwnerQuota;
  /** Why uploads are refused, if they are. */
  readonly uploadRefusal?: UploadServiceDeps['refusal'];
  /** Signing keys of file links are derived from it. */
  readonly serverKey: Uint8Array;
  readonly previousKey?: PreviousKey | undefined;
  readonly tokens: FileTokens;
  readonly fetch?: UploadServiceDeps['fetch'];
}

export interface Library {
  readonly uploads: Uploads;
  readonly links: FileLinks;
  /** For `/files`. */
  readonly files: FileHandler;
  /** Size of the recordings on this disk that are not yet a finished video. */
  spoolBytes(): Promise<number>;
  /** State of the disk of the data folder: free bytes, and the reserve. */
  disk(): Promise<{ readonly freeBytes: number; readonly reserveBytes: number }>;
  close(): Promise<void>;
}

/** Closes `work` in the end. */
export function openLibrary(storage: Storage, work: WorkFolder, deps: LibraryDeps): Library {
  const { dataDir, reserve, blobs, segments, jobs } = storage;
  const { store, clock, ids, log, quota, serverKey, previousKey, tokens, uploadRefusal, fetch } = deps;
  const videos = new VideoWriter(store.objects, clock, ids);
  const links = new SignedLinks(serverKey, clock, previousKey);
  return {
    uploads: new UploadService({
      store,
      blobs,
      jobs,
      clock,
      work,
      segments,
      videos,
      ids,
      quota,
      reserve,
      refusal: uploadRefusal,
      ...defined({ fetch }),
    }),
    links,
    files: fileHandler({ blobs, links, log, tokens }),
    spoolBytes: () => segments.localBytes(),
    async disk() {
      const { freeBytes, diskBytes } = await diskState(dataDir);
      return { freeBytes, reserveBytes: reserve.bytesOf(diskBytes) };
    },
    close: () => work.close(),
  };
}

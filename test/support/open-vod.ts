/** Recordings, uploads, files and jobs in one process, of the parts that the roles are composed of. */
import type { Store } from '../../src/ports/index.js';
import type { MediaTools } from '../../src/probe/media-tools.js';
import { type Cleanup, type CleanupDeps, openCleanup } from '../../src/server/services/cleanup.js';
import { type Library, type LibraryDeps, openLibrary } from '../../src/server/services/library.js';
import { type LiveRecordings, openRecorder } from '../../src/server/services/live-recordings.js';
import { type MediaJobs, type MediaJobsDeps, openMediaJobs } from '../../src/server/services/media-jobs.js';
import { openStorage, openWork, type Storage, type StorageOptions } from '../../src/server/services/storage.js';
import type { WorkFolder } from '../../src/store/disk/work-folder.js';
import type { MediaPort } from '../../src/vod/processing/publish-video.js';

export interface VodOptions
  extends StorageOptions,
    Pick<LibraryDeps, 'ids' | 'quota' | 'serverKey' | 'uploadRefusal' | 'fetch' | 'tokens'>,
    Pick<MediaJobsDeps, 'enforce' | 'errors'>,
    Pick<CleanupDeps, 'retentionDays'> {
  readonly store: Store;
  readonly media: MediaPort;
  readonly prints: MediaTools['prints'];
}

export type Vod = Storage & { readonly work: WorkFolder } & Omit<Library, 'close'> &
  Omit<MediaJobs, 'close'> &
  Cleanup &
  Omit<LiveRecordings, 'close'> & { close(): Promise<void> };

/** A machine that runs no jobs, and no cleanup. */
export type Machine = Omit<Vod, keyof MediaJobs | keyof Cleanup> & { close(): Promise<void> };

export async function openMachine(options: Omit<VodOptions, 'media' | 'prints'>): Promise<Machine> {
  const storage = await openStorage(options);
  const recordings = await openRecorder(storage, options);
  const work = await openWork(options.dataDir);
  const library = openLibrary(storage, work, options);
  return {
    ...storage,
    ...recordings,
    ...library,
    work,
    close: async () => {
      await recordings.close();
      await library.close();
      await storage.jobs.close();
      storage.blobs.close?.();
    },
  };
}

export async function openVod(options: VodOptions): Promise<Vod> {
  const machine = await openMachine(options);
  const states = { processing: async () => undefined };
  const jobs = openMediaJobs(machine, machine.work, { ...options, states });
  const cleanup = openCleanup(machine, machine.work, options);
  cleanup.sweeper.start();
  return {
    ...machine,
    ...jobs,
    ...cleanup,
    close: async () => {
      await cleanup.sweeper.close();
      await jobs.close();
      await machine.close();
    },
  };
}

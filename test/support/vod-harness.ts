/** Media jobs on a real store, real blobs and the real ffmpeg. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveVideoData, VideoData } from '../../src/lifecycle/documents.js';
import type { Store, StoredObject } from '../../src/ports/index.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import { randomBytes, TimeOrderedIds } from '../../src/server/system/system.js';
import { openStore } from '../../src/store/open.js';
import { strongCage } from './cage.js';
import { memoryLog, realClock, temporaryFolder } from './store-harness.js';

export interface VodParts {
  readonly store: Store;
  readonly media: MediaTools;
  readonly ids: TimeOrderedIds;
  readonly log: ReturnType<typeof memoryLog>;
  readonly dataDir: string;
  close(): Promise<void>;
}

export async function vodParts(): Promise<VodParts> {
  const folder = temporaryFolder();
  const log = memoryLog();
  const store = await openStore({ dataDir: join(folder.path, 'data'), log, clock: realClock });
  const media = await MediaTools.open({ cage: await strongCage(join(folder.path, 'tools')), log });
  mkdirSync(join(folder.path, 'data'), { recursive: true });
  return {
    store,
    media,
    ids: new TimeOrderedIds(realClock, randomBytes),
    log,
    dataDir: join(folder.path, 'data'),
    close: async () => {
      await store.close();
      folder.remove();
    },
  };
}

/** A broadcast that was LIVE and is over, with its Video. */
export async function endedBroadcast(
  parts: VodParts,
): Promise<{ liveVideoId: string; videoId: string; ownerId: string }> {
  const { store, ids } = parts;
  const [liveVideoId, videoId, ownerId] = [ids.next(), ids.next(), ids.next()];
  const at = { createdMs: Date.now(), updatedMs: Date.now() };
  const owner = { ownerId, ownerKind: 'page' } as const;
  const live: LiveVideoData = {
    ...owner,
    videoId,
    status: 'LIVE_STOPPED',
    goLiveOnData: false,
    keyVersion: 1,
    stopOnDeleteStream: false,
    stream: 'ended',
  };
  const video: VideoData = { ...owner, published: false, liveVideoId };
  await store.objects.commit([
    { op: 'put', object: { id: videoId, kind: 'video', ...at, data: video } },
    { op: 'put', object: { id: liveVideoId, kind: 'live_video', ...at, data: live } },
  ]);
  return { liveVideoId, videoId, ownerId };
}

export async function videoOf(parts: VodParts, videoId: string): Promise<StoredObject<VideoData>> {
  const video = await parts.store.objects.get<VideoData>(videoId);
  if (video === undefined) throw new Error(`no video ${videoId}`);
  return video;
}

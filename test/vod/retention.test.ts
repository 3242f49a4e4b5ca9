/** Retention of recordings on the real store, with blobs in a folder and in object storage. */
import { join } from 'node:path';
import type { VideoData } from '../../src/lifecycle/documents.js';
import { type Blobs, COUNTER, chargeWrites, SYSTEM_EDGES, type Write } from '../../src/ports/index.js';
import { randomBytes, TimeOrderedIds } from '../../src/server/system/system.js';
import { openBlobs } from '../../src/store/blobs/open.js';
import { openStore } from '../../src/store/open.js';
import { Retention } from '../../src/vod/cleanup/retention.js';
import { retentionWrites, VideoWriter } from '../../src/vod/videos/video-writer.js';
import { startS3 } from '../support/s3-server.js';
import { handClock, memoryLog, temporaryFolder } from '../support/store-harness.js';

const DAY_MS = 86_400_000;
const open = () => false;

async function setUp(kind: 'folder' | 's3') {
  const folder = temporaryFolder();
  const [clock, log] = [handClock(), memoryLog()];
  const server = kind === 's3' ? await startS3() : undefined;
  const store = await openStore({ dataDir: join(folder.path, 'data'), log, clock });
  const blobs: Blobs & { close?(): void } = await openBlobs({ dataDir: folder.path, s3: server?.options, nowMs: 0 });
  const ids = new TimeOrderedIds(clock, randomBytes);
  const videos = new VideoWriter(store.objects, clock, ids);
  const busy = new Set<string>();
  const jobs = { has: async (_kind: string, id: string) => busy.has(id) };
  const retention = (days: number) => new Retention({ store, blobs, jobs, videos, clock, log, days });
  const close = async () => {
    await store.close();
    blobs.close?.();
    await server?.close();
    folder.remove();
  };
  return { store, blobs, clock, ids, videos, busy, retention, close };
}

let harness: Awaited<ReturnType<typeof setUp>>;
afterEach(() => harness.close());

/** A video with a source of 900 bytes, a taken picture, and the owner's picture and captions. */
async function video(ownerId: string, liveVideoId?: string): Promise<{ id: string; taken: string; own: string }> {
  const { store, blobs, clock, ids, videos } = harness;
  const [id, taken, own] = [ids.next(), ids.next(), ids.next()];
  const sourceKey = `videos/${id}/source-1.mp4`;
  const data: VideoData = {
    ownerId,
    ownerKind: 'page',
    published: true,
    ...(liveVideoId === undefined ? {} : { liveVideoId }),
    videoStatus: 'ready',
    title: 'Kept',
    lengthMs: 5_000,
    sourceKey,
    sourceUrl: `/files/${sourceKey}`,
    sourceSize: 900,
    chargedBytes: 900,
    preferredThumbnailId: taken,
  };
  const ownKey = `videos/${id}/thumbnails/${own}.jpg`;
  const takenKey = `videos/${id}/thumbnail-${taken}.jpg`;
  await blobs.put(sourceKey, Buffer.alloc(900));
  await blobs.put(takenKey, Buffer.alloc(50));
  await blobs.put(ownKey, Buffer.alloc(60));
  await blobs.put(`videos/${id}/captions/en_us.srt`, Buffer.alloc(70));
  const nowMs = clock.wallMs();
  const object = { id, kind: 'video', createdMs: nowMs, updatedMs: nowMs, data } as const;
  await store.objects.commit([
    { op: 'put', object },
    ...chargeWrites(ownerId, 900),
    ...retentionWrites({ ...object, version: 1 }, nowMs),
    ...videos.pictureWrites(id, { id: taken, key: takenKey, width: 1, height: 1 }),
    ...videos.pictureWrites(id, { id: own, key: ownKey, width: 1, height: 1 }),
  ]);
  return { id, taken, own };
}

async function keys(videoId: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of harness.blobs.list(`videos/${videoId}/`))
    found.push(key.slice(`videos/${videoId}/`.length));
  return found.sort();
}

describe.each(['folder', 's3'] as const)('blobs in %s', (kind) => {
  beforeEach(async () => {
    harness = await setUp(kind);
  });

  test('an expired recording loses its file and pictures, and its bytes return to the owner', async () => {
    const { store, clock, retention } = harness;
    const [recording, upload] = [await video('7', '70'), await video('7')];
    const kept = retention(30);
    clock.advance(30 * DAY_MS - 1);
    expect(await kept.sweep(open)).toBe(0);
    clock.advance(1);
    expect(await kept.sweep(open)).toBe(1);
    const data = (await store.objects.get<VideoData>(recording.id))?.data;
    expect(data).toMatchObject({ title: 'Kept', videoStatus: 'expired', chargedBytes: 0, lengthMs: 5_000 });
    expect(data?.recordingRemovedMs).toBe(clock.wallMs());
    for (const name of ['sourceKey', 'sourceUrl', 'sourceSize', 'preferredThumbnailId'])
      expect(data).not.toHaveProperty(name);
    expect(await keys(recording.id)).toEqual(['captions/en_us.srt', `thumbnails/${recording.own}.jpg`]);
    expect(await store.objects.get(recording.taken)).toBeUndefined();
    const pictures = await store.objects.page({ owner: recording.id, edge: 'thumbnails' }, { limit: 9 });
    expect(pictures.entries.map(({ member }) => member)).toEqual([recording.own]);
    expect(await store.objects.edgeSize(SYSTEM_EDGES.keptRecordings)).toBe(0);
    expect(await store.objects.counters('7', [COUNTER.storedBytes])).toEqual([900]);
    expect(kept.removedBytes).toBe(950);
    expect((await store.objects.get<VideoData>(upload.id))?.data).toMatchObject({
      videoStatus: 'ready',
      chargedBytes: 900,
    });
    expect((await keys(upload.id)).length).toBe(4);
    expect(await kept.sweep(open)).toBe(0);
  });

  test('two concurrent sweeps return the bytes once', async () => {
    const { store, clock, retention } = harness;
    await video('7', '70');
    await video('7');
    clock.advance(DAY_MS);
    await Promise.all([retention(1).sweep(open), retention(1).sweep(open)]);
    expect(await store.objects.counters('7', [COUNTER.storedBytes])).toEqual([900]);
  });
});

describe('independent of the blob store', () => {
  beforeEach(async () => {
    harness = await setUp('folder');
  });

  test('0 keeps recordings; a changed setting applies to existing ones', async () => {
    const { clock, retention } = harness;
    const { id } = await video('7', '70');
    clock.advance(1_000 * DAY_MS);
    expect(await retention(0).sweep(open)).toBe(0);
    expect(await retention(1_001).sweep(open)).toBe(0);
    expect(await keys(id)).toContain('source-1.mp4');
    expect(await retention(1_000).sweep(open)).toBe(1);
    expect(await keys(id)).not.toContain('source-1.mp4');
  });

  test('a recording with an open job is kept without blocking those after it', async () => {
    const { store, clock, busy, retention } = harness;
    const waiting = await video('7', '70');
    busy.add('70');
    // More than a page of list entries without a video.
    const gone = Array.from({ length: 150 }, (_, index): Write => {
      return { op: 'edgeAdd', ...SYSTEM_EDGES.keptRecordings, member: String(900 + index), score: clock.wallMs() + 1 };
    });
    await store.objects.commit(gone);
    clock.advance(2);
    const last = await video('7', '71');
    clock.advance(DAY_MS);
    expect(await retention(1).sweep(open)).toBe(1);
    expect(await keys(last.id)).not.toContain('source-1.mp4');
    expect(await keys(waiting.id)).toContain('source-1.mp4');
    expect(await store.objects.edgeSize(SYSTEM_EDGES.keptRecordings)).toBe(1);
    busy.clear();
    expect(await retention(1).sweep(open)).toBe(1);
    expect(await store.objects.edgeSize(SYSTEM_EDGES.keptRecordings)).toBe(0);
  });
});

import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { VideoData } from '../../src/lifecycle/documents.js';
import { COUNTER, chargeWrites, SYSTEM_EDGES } from '../../src/ports/index.js';
import { WorkFolder } from '../../src/store/disk/work-folder.js';
import { UPLOADS } from '../../src/vod/uploads/limits.js';
import { makeMedia } from '../support/media-files.js';
import { UploadHarness } from '../support/upload-harness.js';

let harness: UploadHarness;
beforeAll(async () => {
  harness = await UploadHarness.open();
});
afterAll(() => harness.close());

const DAY_MS = 86_400_000;

/** Sets the file's age. */
function aged(path: string, ageMs = 2 * DAY_MS): void {
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
}

async function keep(key: string, ageMs?: number): Promise<string> {
  await harness.vod.blobs.put(key, Buffer.from('x'));
  const path = harness.vod.blobs.localPath(key) ?? '';
  if (ageMs !== 0) aged(path, ageMs);
  return path;
}

test('removes unreferenced blobs and keeps those of videos and of work in progress', async () => {
  const source = readFileSync(makeMedia(join(harness.folder.path, 'a.mp4')));
  const { body } = await harness.post(`/${harness.page}/videos`, { source: new Blob([source]) });
  const { data } = await harness.processed(body.id);
  const known: string[] = [];
  for await (const { key } of harness.vod.blobs.list(`videos/${body.id}/`))
    known.push(harness.vod.blobs.localPath(key) ?? '');
  for (const path of known) aged(path);
  expect(known.length).toBe(6);
  const { sessionId } = await harness.vod.uploads.start({ id: harness.page, kind: 'page' }, 50_000, {});
  const chunk = await harness.vod.uploads.receive(
    (async function* () {
      yield Buffer.alloc(9_000);
    })(),
    { fileName: 'x' },
  );
  await harness.vod.uploads.transfer(harness.page, sessionId, 0, chunk);
  const part = [];
  for await (const { key } of harness.vod.blobs.list(`parts/${sessionId}/`))
    part.push(harness.vod.blobs.localPath(key) ?? '');
  for (const path of part) aged(path);
  const gone = [
    await keep(`videos/${body.id}/source-1.mp4`),
    await keep(`videos/${body.id}/thumbnail-1.jpg`),
    await keep(`videos/${body.id}/captions/en_us.srt`),
    await keep('videos/999/source-1.mp4'),
    await keep('incoming/999/source'),
    await keep(`parts/${sessionId}/000000000009000-1`),
    await keep('parts/999/000000000000000-1'),
    await keep('segments/999/1-1.flv'),
  ];
  const young = await keep('videos/998/source-1.mp4', 0);
  expect((await harness.vod.sweeper.sweep()).blobs).toBe(gone.length);
  expect(gone.filter(existsSync)).toEqual([]);
  expect([...known, ...part, young].every(existsSync)).toBe(true);
  expect((await harness.store.objects.get<VideoData>(body.id))?.data.sourceKey).toBe(data.sourceKey);
});

test('keeps the parts of a finished upload while its job is open', async () => {
  const { sessionId, videoId } = await harness.vod.uploads.start({ id: harness.page, kind: 'page' }, 9_000, {});
  const chunk = await harness.vod.uploads.receive(
    (async function* () {
      yield Buffer.alloc(9_000);
    })(),
    { fileName: 'x' },
  );
  await harness.vod.uploads.transfer(harness.page, sessionId, 0, chunk);
  await harness.vod.jobs.close();
  await harness.vod.uploads.finish(harness.page, sessionId, {});
  harness.clock.advance(UPLOADS.finishedLifeMs + 1);
  await harness.vod.sweeper.sweep();
  expect(await harness.store.objects.get(sessionId)).toBeDefined();
  await harness.vod.uploads.removeFiles(videoId);
  expect(await harness.store.objects.get(sessionId)).toBeUndefined();
});

test('removes recordings of deleted live videos and adds a missing job', async () => {
  const recordings = join(harness.dataDir, 'recordings');
  const at = { createdMs: 0, updatedMs: 0 };
  const data = { ownerId: harness.page, ownerKind: 'page', videoId: '4', status: 'LIVE_STOPPED', broadcastStartMs: 1 };
  await harness.store.objects.commit([{ op: 'put', object: { id: '3', kind: 'live_video', ...at, data } }]);
  for (const id of ['3', '5']) {
    mkdirSync(join(recordings, id));
    writeFileSync(join(recordings, id, '1700000000000-000001.flv'), 'FLV');
  }
  expect((await harness.vod.sweeper.sweep()).recordings).toBe(1);
  expect(existsSync(join(recordings, '5'))).toBe(false);
  expect(existsSync(join(recordings, '3'))).toBe(true);
  expect(await harness.vod.jobs.has('recording', '3')).toBe(true);
});

test('removes work files of dead processes after a day', async () => {
  const [dead, busy] = [join(harness.dataDir, 'work', 'dead'), join(harness.dataDir, 'work', 'busy')];
  for (const path of [dead, busy]) {
    mkdirSync(path);
    writeFileSync(join(path, 'half'), 'x');
  }
  aged(dead);
  aged(busy, Date.now() - harness.clock.wallMs());
  expect((await harness.vod.sweeper.sweep()).workFolders).toBe(1);
  expect([existsSync(dead), existsSync(busy)]).toEqual([false, true]);
});

test('keeps the work folder of an idle process that still sweeps', async () => {
  const root = join(harness.folder.path, 'shared-work');
  const [idle, other] = [await WorkFolder.open(root), await WorkFolder.open(root)];
  aged(dirname(idle.path()));
  await idle.sweep(Date.now());
  expect(await other.sweep(Date.now())).toBe(0);
  await idle.within(async (folder) => writeFileSync(join(folder, 'x'), 'x'));
  aged(dirname(idle.path()));
  expect(await other.sweep(Date.now())).toBe(1);
});

test('retention covers recordings that were never listed; their video stays, marked expired', async () => {
  const old = await UploadHarness.open({ retentionDays: 30 });
  try {
    const key = 'videos/4/source-1.mp4';
    await old.vod.blobs.put(key, Buffer.from('x'));
    aged(old.vod.blobs.localPath(key) ?? '', 31 * DAY_MS);
    const at = { createdMs: 1, updatedMs: 1 };
    const owner = { ownerId: old.page, ownerKind: 'page' };
    const live = { ...owner, videoId: '4', status: 'VOD', broadcastStartMs: 1 };
    const source = { sourceKey: key, sourceUrl: `/files/${key}`, chargedBytes: 1 };
    const data = { ...owner, liveVideoId: '3', published: true, videoStatus: 'ready', ...source };
    await old.store.objects.commit([
      { op: 'put', object: { id: '3', kind: 'live_video', ...at, data: live } },
      { op: 'put', object: { id: '4', kind: 'video', ...at, data } },
      ...chargeWrites(old.page, 1),
    ]);
    expect((await old.vod.sweeper.sweep()).expired).toBe(0);
    expect(await old.vod.sweeper.sweep()).toMatchObject({ expired: 1 });
    expect(await old.store.objects.counters(old.page, [COUNTER.storedBytes])).toEqual([0]);
    const { body } = await old.get('/4', { fields: 'source,status' });
    expect(body.source).toBeUndefined();
    expect(body.status).toMatchObject({
      video_status: 'expired',
      uploading_phase: { status: 'complete' },
      processing_phase: { status: 'complete' },
      publishing_phase: { status: 'complete' },
    });
    // From a machine that returns.
    const segment = join(old.dataDir, 'recordings', '3');
    mkdirSync(segment);
    writeFileSync(join(segment, '1700000000000-000001.flv'), 'FLV');
    expect((await old.vod.sweeper.sweep()).recordings).toBe(1);
    expect(existsSync(segment)).toBe(false);
  } finally {
    await old.close();
  }
});

test('a deleted recording is removed from the retention list', async () => {
  const { store } = harness;
  const data = { ownerId: harness.page, ownerKind: 'page', liveVideoId: '13', published: true };
  const object = { id: '14', kind: 'video', createdMs: 1, updatedMs: 1, data } as const;
  await store.objects.commit([
    { op: 'put', object },
    { op: 'edgeAdd', ...SYSTEM_EDGES.keptRecordings, member: '14', score: 1 },
  ]);
  await harness.vod.uploads.removeFiles('14');
  expect(await store.objects.edgeEntry(SYSTEM_EDGES.keptRecordings, '14')).toBeUndefined();
});

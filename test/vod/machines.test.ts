/** Two machines with separate disks, a shared store and object storage: one continues the other's work and serves it. */

import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { FileAccess } from '../../src/api/access/file-access.js';
import { SliceList } from '../../src/bytes/slices.js';
import type { LiveVideoData, VideoData } from '../../src/lifecycle/documents.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import type { Clock, JournalEntry } from '../../src/ports/index.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { RecordingJobs } from '../../src/server/services/storage.js';
import { inFull } from '../support/in-full.js';
import { eventually, ffprobeUrl, makeMedia } from '../support/media-files.js';
import { type Machine, openMachine, openVod, type Vod, type VodOptions } from '../support/open-vod.js';
import { startS3 } from '../support/s3-server.js';
import { handClock, realClock } from '../support/store-harness.js';
import { tappedStream } from '../support/tapped-stream.js';
import { endedBroadcast, type VodParts, videoOf, vodParts } from '../support/vod-harness.js';

let parts: VodParts;
let storage: Awaited<ReturnType<typeof startS3>>;
let first: Machine;
const recorded: JournalEntry[] = [];
let second: Vod;
const serverKey = Buffer.from('one key for both');

function machine(name: string, clock: Clock = realClock): VodOptions {
  const { store, media, ids, log, dataDir } = parts;
  return {
    quota: new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 }),
    dataDir: join(dataDir, name),
    s3: storage.options,
    enforce: 'report',
    store,
    clock,
    ids,
    log,
    holder: name,
    media,
    prints: media.prints,
    tokens: new FileAccess({ store, clock, config: { publicHttpUrl: 'http://localhost' } }),
    serverKey,
    errors: {
      stored: () => undefined,
      append: async (entries) => {
        recorded.push(...entries);
        return entries;
      },
    },
  };
}

beforeAll(async () => {
  parts = await vodParts();
  storage = await startS3();
  first = await openMachine(machine('first'));
  second = await openVod(machine('second'));
});
afterAll(async () => {
  await first.close();
  await second.close();
  await storage.close();
  await parts.close();
});

async function listed(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of second.blobs.list(prefix)) keys.push(key);
  return keys;
}

async function broadcast(vod: Machine, liveVideoId: string, flv: string): Promise<void> {
  const tap = vod.recorder.open(tappedStream(liveVideoId), 'live');
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => tap?.packet(kind, timestampMs, SliceList.of(payload.copy(0, payload.length))),
  });
  reader.push(readFileSync(flv));
  tap?.close();
}

inFull('joins the segments of both machines into one video that either can serve', async () => {
  const flv = makeMedia(join(parts.dataDir, 'part.flv'), { options: ['-flvflags', 'no_duration_filesize'] });
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await broadcast(first, liveVideoId, flv);
  await broadcast(second, liveVideoId, flv);
  const local = () =>
    ['first', 'second']
      .map((name) => join(parts.dataDir, name, 'recordings', liveVideoId))
      // The folder is removed with its last segment.
      .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  await eventually(() => local().length === 0);
  const live = await parts.store.objects.get<never>(liveVideoId);
  if (live !== undefined) new RecordingJobs(second.jobs, true, parts.log).ended(live);
  await eventually(async () => (await videoOf(parts, videoId)).data.videoStatus === 'ready');
  const { data } = await videoOf(parts, videoId);
  expect(Math.abs((data.lengthMs ?? 0) - 4_000)).toBeLessThan(250);
  const server = createServer(first.files);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const probed = await ffprobeUrl(origin + second.links.sign(String(data.sourceUrl)));
  server.closeAllConnections();
  server.close();
  expect(probed.streams.map((stream) => stream.codec_name)).toEqual(['h264', 'aac']);
  const left: string[] = [];
  for await (const { key } of first.blobs.list('segments/')) left.push(key);
  expect(left).toEqual([]);
});

test('accepts the chunks of one upload on both machines', async () => {
  const bytes = readFileSync(makeMedia(join(parts.dataDir, 'whole.mp4')));
  const owner = { id: '77', kind: 'page' } as const;
  const { sessionId, videoId } = await first.uploads.start(owner, bytes.length, {});
  const send = async (vod: Machine, from: number, to: number) => {
    const source = (async function* () {
      yield bytes.subarray(from, to);
    })();
    await vod.uploads.transfer(owner.id, sessionId, from, await vod.uploads.receive(source, { fileName: 'chunk' }));
  };
  await send(first, 0, 10_000);
  await send(second, 10_000, 20_000);
  await send(first, 20_000, bytes.length);
  await second.uploads.finish(owner.id, sessionId, {});
  await eventually(async () => (await videoOf(parts, videoId)).data.videoStatus === 'ready');
  await eventually(async () => !(await second.jobs.has('upload', videoId)));
  const left: string[] = [];
  for await (const { key } of first.blobs.list('parts/')) left.push(key);
  expect(left).toEqual([]);
});

test('a recording waits for segments that are still on another machine', async () => {
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await parts.store.objects.commit([
    { op: 'edgeAdd', owner: liveVideoId, edge: 'segments', member: '1700000000000-000001.flv', score: 1 },
  ]);
  await second.jobs.add('recording', liveVideoId);
  await eventually(async () => {
    const job = await parts.store.objects.get<{ lastError?: string }>(`job-recording-${liveVideoId}`);
    return job?.data.lastError?.includes('another machine') ?? false;
  });
  expect((await videoOf(parts, videoId)).data.videoStatus).toBeUndefined();
  await second.jobs.remove('recording', liveVideoId);
});

test('a video is made without the part of a killed process, and again once its machine has uploaded it', async () => {
  const clock = { ...handClock(Date.now()) };
  const dead = await openMachine(machine('dead', clock));
  const flv = makeMedia(join(parts.dataDir, 'long.flv'), {
    seconds: 12,
    options: ['-flvflags', 'no_duration_filesize'],
  });
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  const tap = dead.recorder.open(tappedStream(liveVideoId), 'live');
  let lastMs = 0;
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => {
      clock.advance(Math.max(0, timestampMs - lastMs));
      lastMs = Math.max(lastMs, timestampMs);
      tap?.packet(kind, timestampMs, SliceList.of(payload.copy(0, payload.length)));
    },
  });
  reader.push(readFileSync(flv));
  // Not closed: to the others the process is gone from here on.
  const begun = async () =>
    (await parts.store.objects.page({ owner: liveVideoId, edge: 'segments' }, { limit: 100 })).entries.length;
  await eventually(
    async () => (await begun()) > 3 && (await listed(`segments/${liveVideoId}/`)).length === (await begun()) - 1,
  );
  const longAgoMs = Date.now() - 11_000;
  const id = `job-recording-${liveVideoId}`;
  const data = { type: 'recording', subjectId: liveVideoId, failures: 0 };
  await parts.store.objects.commit([
    { op: 'put', object: { id, kind: 'job', createdMs: longAgoMs, updatedMs: longAgoMs, data } },
    { op: 'edgeAdd', owner: 'system', edge: 'jobs', member: id, score: longAgoMs },
  ]);
  second.jobs.wake();
  const lengthMs = async () => (await videoOf(parts, videoId)).data.lengthMs ?? 0;
  await eventually(async () => (await videoOf(parts, videoId)).data.videoStatus === 'ready');
  const withGapMs = await lengthMs();
  expect(withGapMs).toBeGreaterThan(12_000 - 3_100);
  expect(withGapMs).toBeLessThan(12_000);
  await parts.store.records.append(recorded.filter(({ broadcastId }) => broadcastId === liveVideoId));
  const gaps = async () => (await parts.store.records.page(liveVideoId, { limit: 100 })).records;
  const observed = '1 part, at most 3 s, which the server that received it has not uploaded';
  expect(await gaps()).toMatchObject([{ error_code: 6506, observed, cleared_time_ms: null }]);
  expect((await gaps())[0]?.description).toContain(`: ${observed}. No change in the encoder is needed`);
  await eventually(async () => !(await second.jobs.has('recording', liveVideoId)));

  // The sweep keeps the other parts for that.
  await second.sweeper.sweep();
  const live = await parts.store.objects.get<LiveVideoData>(liveVideoId);
  if (live === undefined) throw new Error('the live video is gone');
  await parts.store.objects.commit([{ op: 'put', object: { ...live, data: { ...live.data, status: 'VOD' } } }]);
  // A file that has not grown for 45 s has no writer.
  const quietSince = new Date(Date.now() - 46_000);
  const left = join(parts.dataDir, 'dead', 'recordings', liveVideoId);
  for (const name of readdirSync(left)) utimesSync(join(left, name), quietSince, quietSince);
  const successor = await openMachine(machine('dead'));
  await eventually(async () => (await lengthMs()) > withGapMs);
  expect(Math.abs((await lengthMs()) - 12_000)).toBeLessThan(250);
  await eventually(async () => (await listed(`segments/${liveVideoId}/`)).length === 0);
  await eventually(async () => !('missingParts' in (await videoOf(parts, videoId)).data));
  await parts.store.records.append(recorded.filter(({ broadcastId }) => broadcastId === liveVideoId));
  expect(await gaps()).toMatchObject([{ observed, cleared_time_ms: expect.any(Number) }]);
  await successor.close();
  await dead.close();
});

test('removes segments that return after their video is ready; keeps those of a failed video', async () => {
  const folders = await Promise.all(
    (['ready', 'error'] as const).map(async (videoStatus) => {
      const { liveVideoId, videoId } = await endedBroadcast(parts);
      const live = await parts.store.objects.get<LiveVideoData>(liveVideoId);
      const video = await parts.store.objects.get<VideoData>(videoId);
      if (live === undefined || video === undefined) throw new Error('nothing was made');
      await parts.store.objects.commit([
        { op: 'put', object: { ...live, data: { ...live.data, status: 'VOD' } } },
        { op: 'put', object: { ...video, data: { ...video.data, videoStatus } } },
      ]);
      const folder = join(parts.dataDir, 'second', 'recordings', liveVideoId);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '1700000000000-000001-0003.flv'), 'FLV');
      return folder;
    }),
  );
  await second.sweeper.sweep();
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
});

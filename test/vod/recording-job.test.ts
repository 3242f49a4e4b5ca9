/** Recording to video with the real recorder, the real ffmpeg and the real store. */

import { mkdirSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SliceList } from '../../src/bytes/slices.js';
import { FlvFileReader, type FlvTagKind } from '../../src/media/flv/file-reader.js';
import { isFastStart } from '../../src/probe/containers/iso-bmff.js';
import { Recorder } from '../../src/recording/recorder.js';
import { Segments } from '../../src/recording/segments.js';
import { FolderBlobs } from '../../src/store/blobs/folder-blobs.js';
import { WorkFolder } from '../../src/store/disk/work-folder.js';
import { JobQueue } from '../../src/vod/jobs/job-queue.js';
import { ConversionRoom } from '../../src/vod/processing/conversion-room.js';
import { RecordingWorker } from '../../src/vod/processing/recording-job.js';
import { recordedVideo, type ThumbnailData, VideoWriter } from '../../src/vod/videos/video-writer.js';
import { inFull } from '../support/in-full.js';
import { eventually, ffprobe, type MediaFile, makeMedia } from '../support/media-files.js';
import { realClock } from '../support/store-harness.js';
import { tappedStream } from '../support/tapped-stream.js';
import { endedBroadcast, type VodParts, videoOf, vodParts } from '../support/vod-harness.js';

let parts: VodParts;
let blobs: FolderBlobs;
let segments: Segments;
let jobs: JobQueue;
const moves: string[] = [];
const work: { folder?: WorkFolder } = {};

beforeAll(async () => {
  parts = await vodParts();
  const { store, log, dataDir, ids, media } = parts;
  blobs = await FolderBlobs.open(join(dataDir, 'blobs'), Date.now());
  mkdirSync(join(dataDir, 'recordings'));
  segments = new Segments({ folder: join(dataDir, 'recordings'), blobs, store, clock: realClock, log });
  work.folder = await WorkFolder.open(join(dataDir, 'work'));
  const worker = new RecordingWorker({
    blobs,
    media,
    log,
    segments,
    clock: realClock,
    work: work.folder,
    room: new ConversionRoom({ folder: work.folder.root }),
    videos: new VideoWriter(store.objects, realClock, ids),
    videoOf: async (id) => (await recordedVideo(store, id))?.videoId,
    errors: { stored: () => undefined, append: async (entries) => entries },
    states: { processing: async (id, step) => void moves.push(`${id} ${step.slice('processing-'.length)}`) },
  });
  jobs = new JobQueue({ store, clock: realClock, log, holder: 'a' });
  jobs.start({ recording: worker, upload: worker, publish: worker, fingerprint: worker });
});
afterAll(async () => {
  await jobs.close();
  await parts.close();
});

/** Sends the file like an encoder whose clock starts at `startMs`. */
async function broadcast(liveVideoId: string, flv: string, startMs: number): Promise<void> {
  const { dataDir, log } = parts;
  const recorder = new Recorder({
    folder: join(dataDir, 'recordings'),
    clock: realClock,
    log,
  });
  const tap = recorder.open(tappedStream(liveVideoId), 'live');
  const reader = new FlvFileReader({
    tag: (kind: FlvTagKind, timestampMs: number, payload: SliceList) =>
      tap?.packet(kind, (timestampMs + startMs) >>> 0, SliceList.of(payload.copy(0, payload.length))),
  });
  reader.push(readFileSync(flv));
  tap?.close();
  await recorder.close();
}

const flv = (name: string, file: MediaFile = {}): string =>
  makeMedia(join(parts.dataDir, `${name}.flv`), { options: ['-flvflags', 'no_duration_filesize'], ...file });

async function process(liveVideoId: string): Promise<void> {
  await jobs.add('recording', liveVideoId);
  await eventually(async () => !(await jobs.has('recording', liveVideoId)));
}

test('joins the connections of a broadcast into one fast-start MP4 with pictures and removes the segments', async () => {
  const { store } = parts;
  const { liveVideoId, videoId, ownerId } = await endedBroadcast(parts);
  const part = flv('part', { seconds: 3 });
  await broadcast(liveVideoId, part, 2 ** 32 - 1_500);
  await broadcast(liveVideoId, part, 86_400_000);
  await process(liveVideoId);
  const { data } = await videoOf(parts, videoId);
  expect(data).toMatchObject({
    published: true,
    videoStatus: 'ready',
    processingProgress: 100,
    width: 320,
    height: 180,
  });
  expect(data.phaseErrors).toBeUndefined();
  const kept = await store.objects.edgeEntry({ owner: 'system', edge: 'kept_recordings' }, videoId);
  expect(Date.now() - (kept?.score ?? 0)).toBeLessThan(60_000);
  expect(Math.abs((data.lengthMs ?? 0) - 6_000)).toBeLessThan(250);
  const path = blobs.localPath(String(data.sourceKey));
  expect(data.sourceUrl).toBe(`/files/${data.sourceKey}`);
  expect(await isFastStart(path)).toBe(true);
  const { streams } = ffprobe(path, ['-count_frames']);
  expect(streams.map((stream) => stream.codec_name)).toEqual(['h264', 'aac']);
  expect(Number(streams[0]?.nb_read_frames)).toBe(180);
  expect(moves).toEqual([`${liveVideoId} started`, `${liveVideoId} done`]);
  expect(
    (await store.objects.page({ owner: ownerId, edge: 'videos' }, { limit: 5 })).entries.map((row) => row.member),
  ).toEqual([videoId]);
  const pictures = (await store.objects.page({ owner: videoId, edge: 'thumbnails' }, { limit: 9, ascending: true }))
    .entries;
  expect(pictures.length).toBe(5);
  expect(pictures.map((row) => row.member)).toContain(data.preferredThumbnailId);
  const thumbnail = await store.objects.get<ThumbnailData>(pictures[0]?.member ?? '');
  expect(thumbnail?.data).toMatchObject({ rootId: videoId, width: 320, height: 180 });
  expect((await buffer(await blobs.read(thumbnail?.data.blobId ?? ''))).subarray(0, 2)).toEqual(
    Buffer.from([0xff, 0xd8]),
  );
  expect(readdirSync(join(parts.dataDir, 'recordings'))).not.toContain(liveVideoId);
});

inFull('copies a change of frame size between connections, and the result decodes to the end', async () => {
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await broadcast(liveVideoId, flv('small', { size: '320x180' }), 0);
  await broadcast(
    liveVideoId,
    flv('large', { size: '640x360', video: ['-c:v', 'libx264', '-preset', 'fast', '-g', '30', '-pix_fmt', 'yuv420p'] }),
    0,
  );
  await broadcast(liveVideoId, flv('small2', { size: '320x180' }), 0);
  await process(liveVideoId);
  const { data } = await videoOf(parts, videoId);
  expect(data.videoStatus).toBe('ready');
  const { streams } = ffprobe(blobs.localPath(String(data.sourceKey)), ['-count_frames']);
  expect(Number(streams[0]?.nb_read_frames)).toBe(180);
});

inFull('encodes when the audio configuration changes', async () => {
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await broadcast(liveVideoId, flv('a48', { sampleRate: 48_000 }), 0);
  await broadcast(liveVideoId, flv('a44', { sampleRate: 44_100 }), 0);
  await process(liveVideoId);
  const { data } = await videoOf(parts, videoId);
  expect(data.videoStatus).toBe('ready');
  const { streams } = ffprobe(blobs.localPath(String(data.sourceKey)), ['-count_frames']);
  expect(Number(streams[1]?.duration)).toBeGreaterThan(3.8);
});

test('processes a single track, and a segment truncated inside a tag', async () => {
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await broadcast(liveVideoId, flv('mute', { audio: null }), 0);
  const folder = join(parts.dataDir, 'recordings', liveVideoId);
  const segment = join(folder, readdirSync(folder)[0] ?? '');
  truncateSync(segment, readFileSync(segment).length - 5_000);
  await process(liveVideoId);
  const { data } = await videoOf(parts, videoId);
  expect(data.videoStatus).toBe('ready');
  expect(ffprobe(blobs.localPath(String(data.sourceKey))).streams.map((stream) => stream.codec_name)).toEqual(['h264']);
  expect(data.lengthMs).toBeGreaterThan(1_500);
});

test('the video of a broadcast without a recording reports the error', async () => {
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await process(liveVideoId);
  const { data } = await videoOf(parts, videoId);
  expect(data.videoStatus).toBe('error');
  expect(data.phaseErrors).toEqual([
    { code: 6000, message: expect.stringContaining('no part of the broadcast was recorded') },
  ]);
  expect(moves.at(-1)).toBe(`${liveVideoId} done`);
});

test('a deleted live video leaves no files', async () => {
  const { liveVideoId, videoId } = await endedBroadcast(parts);
  await broadcast(liveVideoId, flv('gone'), 0);
  await parts.store.objects.commit([
    { op: 'delete', id: liveVideoId },
    { op: 'delete', id: videoId },
  ]);
  await process(liveVideoId);
  expect(readdirSync(join(parts.dataDir, 'recordings'))).not.toContain(liveVideoId);
});

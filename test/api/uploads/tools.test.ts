/** Missing ffmpeg or ffprobe: the video reports it, no file is refused, and processing resumes once they are present. */

import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DERIVED_ID, SYSTEM_EDGES } from '../../../src/ports/index.js';
import { findTools } from '../../../src/probe/tool-paths.js';
import type { MediaPort } from '../../../src/vod/processing/publish-video.js';
import { folderOfFile } from '../../support/folders.js';
import { casesNow, inFull } from '../../support/in-full.js';
import { eventually, type MediaFile, makeMedia } from '../../support/media-files.js';
import { fetchStatus } from '../../support/sockets.js';
import { UploadHarness } from '../../support/upload-harness.js';

const REAL = findTools({});
const folder = folderOfFile('airlock-tools-');
const harnesses: UploadHarness[] = [];
let bin = '';

beforeEach(() => {
  bin = mkdtempSync(join(folder, 'bin-'));
});
afterAll(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  rmSync(folder, { recursive: true, force: true });
});

type Tool = 'ffmpeg' | 'ffprobe';
const install = (tool: Tool) => symlinkSync(REAL[tool], join(bin, tool));

async function opened(media?: (harness: () => UploadHarness) => MediaPort): Promise<UploadHarness> {
  const tools = { ffmpegPath: join(bin, 'ffmpeg'), ffprobePath: join(bin, 'ffprobe') };
  const harness: UploadHarness = await UploadHarness.open(media ? { media: media(() => harness) } : {}, tools);
  harnesses.push(harness);
  return harness;
}

async function upload(harness: UploadHarness, name: string, file: MediaFile = {}, fields: Record<string, string> = {}) {
  const source = new Blob([readFileSync(makeMedia(join(harness.folder.path, name), { size: '160x90', ...file }))]);
  const { body } = await harness.post(`/${harness.page}/videos`, { ...fields, source });
  return String(body.id);
}

const statusOf = async (harness: UploadHarness, id: string) =>
  (await harness.get(`/${id}`, { fields: 'status,source,errors,published' })).body;

const reads = (harness: UploadHarness, id: string, wanted: string) =>
  eventually(async () => (await statusOf(harness, id)).status.video_status === wanted);

/** When the next attempt of a job is due; undefined once it is done. */
async function dueMs(harness: UploadHarness, type: 'upload' | 'publish', id: string): Promise<number | undefined> {
  return (await harness.store.objects.edgeEntry(SYSTEM_EDGES.jobs, DERIVED_ID.job(type, id)))?.score;
}

/** Waits until the attempt has ended that is due or running; resolves with the time left until the next one. */
async function delayed(harness: UploadHarness, id: string): Promise<number> {
  let leftMs = 0;
  await eventually(async () => {
    leftMs = ((await dueMs(harness, 'upload', id)) ?? 0) - harness.clock.wallMs();
    return leftMs > 0;
  });
  return leftMs;
}

/** Moves the clock to the next attempt, by `byMs` at least. */
async function later(harness: UploadHarness, id: string, byMs = 30_000): Promise<void> {
  harness.clock.advance(Math.max(byMs, await delayed(harness, id)));
  harness.vod.jobs.wake();
}

test.each<[Tool, Tool]>([
  ['ffprobe', 'ffmpeg'],
  ['ffmpeg', 'ffprobe'],
])('without %s a video names the missing tool, and becomes ready once it is present', async (missing, there) => {
  install(there);
  const harness = await opened();
  const id = await upload(harness, 'a.mkv');
  await reads(harness, id, 'error');
  const body = await statusOf(harness, id);
  expect(body.status).toMatchObject({
    uploading_phase: { status: 'complete' },
    processing_phase: {
      status: 'error',
      errors: [{ code: 2, message: expect.stringContaining(`${missing} cannot be run`) }],
    },
    publishing_phase: { status: 'not_started' },
  });
  expect(JSON.stringify(body.status)).not.toContain(folder);
  expect(body.errors).toBeUndefined();
  expect(harness.log.lines.some(({ message }) => message === 'media tool cannot be run; processing delayed')).toBe(
    true,
  );

  install(missing);
  await later(harness, id);
  await reads(harness, id, 'ready');
  const done = (await harness.get(`/${id}`, { fields: 'status,source,thumbnails,errors' })).body;
  expect(done.status.processing_phase).toEqual({ status: 'complete' });
  expect(done.thumbnails.data.length).toBe(5);
  expect(await fetchStatus(done.source)).toBe(200);
  await harness.processed(id);
  await eventually(() => harness.rubbish().length === 0);
});

test.each(casesNow<[Tool]>([['ffprobe'], ['ffmpeg']], ([tool]) => tool === 'ffmpeg'))(
  'a broken %s does not refuse the file',
  async (broken) => {
    install(broken === 'ffprobe' ? 'ffmpeg' : 'ffprobe');
    const path = join(bin, broken);
    writeFileSync(path, '#!/bin/sh\necho Illegal instruction >&2\nexit 132\n');
    chmodSync(path, 0o755);
    const harness = await opened();
    const id = await upload(harness, 'b.mkv');
    await reads(harness, id, 'error');
    const { status, errors } = await statusOf(harness, id);
    expect(status.processing_phase.errors).toMatchObject([{ code: 2 }]);
    expect(errors).toBeUndefined();
    rmSync(path);
    install(broken);
    await later(harness, id);
    await reads(harness, id, 'ready');
  },
);

inFull('a missing tool never fails a video, and its scheduled time is kept', async () => {
  install('ffmpeg');
  const harness = await opened();
  const at = Math.floor(harness.clock.wallMs() / 1000) + 3_600;
  const id = await upload(harness, 'c.mkv', {}, { published: 'false', scheduled_publish_time: String(at) });
  await reads(harness, id, 'error');
  for (let attempt = 0; attempt < 8; attempt++) await later(harness, id, 600_000);
  await delayed(harness, id);
  await reads(harness, id, 'error');
  install('ffprobe');
  await later(harness, id, 600_000);
  await reads(harness, id, 'ready');
  await eventually(async () => {
    const due = await dueMs(harness, 'publish', id);
    // The clock moves only between attempts: the lease of a running job ends 15 s later by this clock.
    if (due !== undefined) harness.clock.advance(Math.max(0, due - harness.clock.wallMs()));
    harness.vod.jobs.wake();
    return due === undefined;
  });
  expect((await statusOf(harness, id)).status.publishing_phase).toMatchObject({ publish_status: 'published' });
});

test('a video deleted while waiting leaves nothing behind', async () => {
  install('ffmpeg');
  const harness = await opened();
  const id = await upload(harness, 'd.mkv');
  await reads(harness, id, 'error');
  expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
  await eventually(() => harness.rubbish().length === 0);
  expect(await harness.vod.jobs.has('upload', id)).toBe(false);
});

inFull('another server fault keeps the video processing, with the error, until it is resolved', async () => {
  install('ffmpeg');
  install('ffprobe');
  let failures = 1;
  const harness = await opened((that) => ({
    probe: (path, signal) =>
      failures-- > 0 ? Promise.reject(new Error('out of luck')) : that().media.probe(path, signal),
    convert: (conversion) => that().media.convert(conversion),
    picture: (request) => that().media.picture(request),
  }));
  const id = await upload(harness, 'e.mkv');
  await eventually(async () => (await statusOf(harness, id)).status.processing_phase.errors !== undefined);
  expect((await statusOf(harness, id)).status).toMatchObject({
    video_status: 'processing',
    processing_phase: {
      status: 'in_progress',
      errors: [{ code: 6000, message: 'Processing failed and will be retried: out of luck' }],
    },
  });
  await later(harness, id);
  await reads(harness, id, 'ready');
  expect((await statusOf(harness, id)).status.processing_phase).toEqual({ status: 'complete' });
});

test('without tools that may open files of others, every way to upload is refused with the reason', async () => {
  const reason = 'ffmpeg must be installed on the server.';
  const harness = await UploadHarness.open({ uploadRefusal: () => reason });
  harnesses.push(harness);
  const ways: Record<string, string | Blob>[] = [
    { source: new Blob([Buffer.alloc(2_000)]) },
    { file_url: 'https://example.org/a.mp4' },
    { upload_phase: 'start', file_size: '2000' },
  ];
  for (const way of ways) {
    const { status, body } = await harness.post(`/${harness.page}/videos`, way);
    expect({ status, text: JSON.stringify(body.error) }).toEqual({
      status: 500,
      text: expect.stringContaining(reason),
    });
  }
  expect(harness.rubbish()).toEqual([]);
});

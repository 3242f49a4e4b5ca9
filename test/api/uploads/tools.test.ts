/** Missing ffmpeg or ffprobe: the video reports it, no file is refused, and processing resumes once they are present. */

import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DERIVED_ID, SYSTEM_EDGES } from '../../../src/ports/index.js';
import { findTools } from '../../../src/probe/tool-paths.js';
import type { MediaPort } from '../../../src/vod/processing/media-port.js';
import { eventually, type MediaFile, makeMedia } from '../../support/media-files.js';
import { temporaryFolder } from '../../support/store-world.js';
import { UploadWorld } from '../../support/upload-world.js';

const REAL = findTools({});
const folder = temporaryFolder();
const worlds: UploadWorld[] = [];
let bin = '';

beforeEach(() => {
  bin = join(folder.path, `bin-${worlds.length}`);
  mkdirSync(bin);
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  folder.remove();
});

type Tool = 'ffmpeg' | 'ffprobe';
const install = (tool: Tool) => symlinkSync(REAL[tool], join(bin, tool));

async function opened(media?: (world: () => UploadWorld) => MediaPort): Promise<UploadWorld> {
  const tools = { ffmpegPath: join(bin, 'ffmpeg'), ffprobePath: join(bin, 'ffprobe') };
  const world: UploadWorld = await UploadWorld.open(media ? { media: media(() => world) } : {}, tools);
  worlds.push(world);
  return world;
}

async function upload(world: UploadWorld, name: string, file: MediaFile = {}, fields: Record<string, string> = {}) {
  const source = new Blob([readFileSync(makeMedia(join(world.folder.path, name), { size: '160x90', ...file }))]);
  const { body } = await world.post(`/${world.page}/videos`, { ...fields, source });
  return String(body.id);
}

const statusOf = async (world: UploadWorld, id: string) =>
  (await world.get(`/${id}`, { fields: 'status,source,errors,published' })).body;

const reads = (world: UploadWorld, id: string, wanted: string) =>
  eventually(async () => (await statusOf(world, id)).status.video_status === wanted);

/** Resolves with the time of the next attempt. */
async function later(world: UploadWorld, id: string, byMs = 30_000): Promise<void> {
  const entry = () => world.store.objects.edgeEntry(SYSTEM_EDGES.jobs, DERIVED_ID.job('upload', id));
  await eventually(async () => ((await entry())?.score ?? 0) > world.clock.wallMs());
  world.clock.advance(byMs);
  world.vod.jobs.wake();
}

test.each<[Tool, Tool]>([
  ['ffprobe', 'ffmpeg'],
  ['ffmpeg', 'ffprobe'],
])('without %s a video names the missing tool, and becomes ready once it is present', async (missing, there) => {
  install(there);
  const world = await opened();
  const id = await upload(world, 'a.mkv');
  await reads(world, id, 'error');
  const body = await statusOf(world, id);
  expect(body.status).toMatchObject({
    uploading_phase: { status: 'complete' },
    processing_phase: {
      status: 'error',
      errors: [{ code: 2, message: expect.stringContaining(`${missing} cannot be run`) }],
    },
    publishing_phase: { status: 'not_started' },
  });
  expect(JSON.stringify(body.status)).not.toContain(folder.path);
  expect(body.errors).toBeUndefined();
  expect(world.log.lines.some(({ message }) => message === 'media tool cannot be run; processing delayed')).toBe(true);

  install(missing);
  await later(world, id);
  await reads(world, id, 'ready');
  const done = (await world.get(`/${id}`, { fields: 'status,source,thumbnails,errors' })).body;
  expect(done.status.processing_phase).toEqual({ status: 'complete' });
  expect(done.thumbnails.data.length).toBe(5);
  expect((await fetch(done.source)).status).toBe(200);
  await world.processed(id);
  await eventually(() => world.rubbish().length === 0);
});

test.each<[Tool]>([['ffprobe'], ['ffmpeg']])('a broken %s does not refuse the file', async (broken) => {
  install(broken === 'ffprobe' ? 'ffmpeg' : 'ffprobe');
  const path = join(bin, broken);
  writeFileSync(path, '#!/bin/sh\necho Illegal instruction >&2\nexit 132\n');
  chmodSync(path, 0o755);
  const world = await opened();
  const id = await upload(world, 'b.mkv');
  await reads(world, id, 'error');
  const { status, errors } = await statusOf(world, id);
  expect(status.processing_phase.errors).toMatchObject([{ code: 2 }]);
  expect(errors).toBeUndefined();
  rmSync(path);
  install(broken);
  await later(world, id);
  await reads(world, id, 'ready');
});

test('a missing tool never fails a video, and its scheduled time is kept', async () => {
  install('ffmpeg');
  const world = await opened();
  const at = Math.floor(world.clock.wallMs() / 1000) + 3_600;
  const id = await upload(world, 'c.mkv', {}, { published: 'false', scheduled_publish_time: String(at) });
  await reads(world, id, 'error');
  for (let attempt = 0; attempt < 8; attempt++) await later(world, id, 600_000);
  await reads(world, id, 'error');
  install('ffprobe');
  await eventually(async () => {
    world.clock.advance(1_000);
    world.vod.jobs.wake();
    return !(await world.vod.jobs.has('publish', id));
  });
  expect((await statusOf(world, id)).status.publishing_phase).toMatchObject({ publish_status: 'published' });
});

test('a video deleted while waiting leaves nothing behind', async () => {
  install('ffmpeg');
  const world = await opened();
  const id = await upload(world, 'd.mkv');
  await reads(world, id, 'error');
  expect((await world.delete(`/${id}`)).body).toEqual({ success: true });
  await eventually(() => world.rubbish().length === 0);
  expect(await world.vod.jobs.has('upload', id)).toBe(false);
});

test('another server fault keeps the video processing, with the error, until it is resolved', async () => {
  install('ffmpeg');
  install('ffprobe');
  let failures = 1;
  const world = await opened((that) => ({
    probe: (path, signal) =>
      failures-- > 0 ? Promise.reject(new Error('out of luck')) : that().media.probe(path, signal),
    convert: (conversion) => that().media.convert(conversion),
    picture: (request) => that().media.picture(request),
  }));
  const id = await upload(world, 'e.mkv');
  await eventually(async () => (await statusOf(world, id)).status.processing_phase.errors !== undefined);
  expect((await statusOf(world, id)).status).toMatchObject({
    video_status: 'processing',
    processing_phase: {
      status: 'in_progress',
      errors: [{ code: 6000, message: 'Processing failed and will be retried: out of luck' }],
    },
  });
  await later(world, id);
  await reads(world, id, 'ready');
  expect((await statusOf(world, id)).status.processing_phase).toEqual({ status: 'complete' });
});

/** Small uploads that hold or claim hours of video, or hundreds of frames per second, are bounded before conversion. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MediaTools } from '../../../src/probe/media-tools.js';
import { SLOTS } from '../../../src/vod/jobs/limits.js';
import { strongCage } from '../../support/cage.js';
import { inFull } from '../../support/in-full.js';
import { eventually, ffprobe, makeMedia, runFfmpeg } from '../../support/media-files.js';
import { memoryLog } from '../../support/store-harness.js';
import { UploadHarness } from '../../support/upload-harness.js';

let harness: UploadHarness;

beforeAll(async () => {
  harness = await UploadHarness.open();
});
afterAll(() => harness.close());

const path = (name: string): string => join(harness.folder.path, name);

async function upload(file: string): Promise<string> {
  const { body } = await harness.post(`/${harness.page}/videos`, { source: new Blob([readFileSync(file)]) });
  return String(body.id);
}

test('a small file of many days of 4K is refused with its figures before conversion', async () => {
  const frames = makeMedia(path('frames.mkv'), { size: '3840x2160', seconds: 1, rate: 4, audio: null });
  runFfmpeg(['-i', frames, '-c', 'copy', '-bsf:v', 'setts=ts=TS*4000000', path('days.mkv')]);
  const id = await upload(path('days.mkv'));
  const { data } = await harness.processed(id);
  expect(data.videoStatus).toBe('error');
  const { body } = await harness.get(`/${id}`, { fields: 'status' });
  expect(body.status).toMatchObject({
    video_status: 'error',
    processing_phase: {
      status: 'error',
      errors: [{ code: 6000, message: expect.stringMatching(/h of 3840x2160 .*is too much to process; at most/) }],
    },
  });
  expect(harness.rubbish()).toEqual([]);
});

inFull('a file of hundreds of frames per second becomes a video of at most 75', async () => {
  const id = await upload(
    makeMedia(path('fast.mkv'), { rate: 240, seconds: 2, video: ['-c:v', 'mpeg4', '-q:v', '9'], audio: null }),
  );
  const { data } = await harness.processed(id);
  expect(data.videoStatus).toBe('ready');
  const { streams } = ffprobe(harness.vod.blobs.localPath(String(data.sourceKey)) ?? '', ['-count_frames']);
  expect(Number(streams[0]?.nb_read_frames)).toBe(120);
});

test('a conversion ends at its time limit, by a code of its own', async () => {
  const tools = await MediaTools.open({ cage: await strongCage(path('limited')), log: memoryLog(), parallel: SLOTS });
  const input = makeMedia(path('long.mkv'), { size: '1920x1080', seconds: 3, audio: null });
  const convert = (limitMs: number, signal?: AbortSignal) =>
    tools.convert({
      input,
      demuxer: 'matroska',
      output: path('long.mp4'),
      video: 'encode',
      audio: 'none',
      limitMs,
      ...(signal === undefined ? {} : { signal }),
    });
  await expect(convert(200)).rejects.toMatchObject({ code: 'TOOL_LIMIT' });
  const stop = new AbortController();
  const stopped = convert(60_000, stop.signal);
  stop.abort();
  await expect(stopped).rejects.toMatchObject({ code: 'TOOL_ABORTED' });
});

test('copies and short conversions of all owners finish while long conversions run', async () => {
  const nasty = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'];
  const second = makeMedia(path('second.mkv'), { size: '2560x1440', seconds: 1, video: nasty, audio: null });
  const long = path('nasty.mkv');
  runFfmpeg(['-stream_loop', '9', '-i', second, '-c', 'copy', long]);
  const busy = [await upload(long), await upload(long), await upload(long)];
  await eventually(async () => (await lanes(busy)).every((lane) => lane === 'long'));
  const copy = await upload(makeMedia(path('copy.mkv'), { seconds: 1 }));
  const short = await upload(makeMedia(path('short.avi'), { seconds: 1, video: ['-c:v', 'mpeg4'] }));
  expect((await harness.processed(copy)).data.videoStatus).toBe('ready');
  expect((await harness.processed(short)).data.videoStatus).toBe('ready');
  expect(await lanes(busy)).toEqual(['long', 'long', 'long']);
});

async function lanes(videoIds: readonly string[]): Promise<unknown[]> {
  const jobs = await harness.store.objects.getMany(videoIds.map((id) => `job-upload-${id}`));
  return jobs.map((job) => (job?.data as { lane?: string } | undefined)?.lane);
}

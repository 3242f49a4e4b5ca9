import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeepProbe, SampleSkippedError } from '../../src/probe/deep-probe.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import { decodeImage, type ImageAnswer, MediaImages } from '../../src/server/cluster/media-images.js';
import { MediaSamples, probeSample, type SampleAnswer } from '../../src/server/cluster/media-samples.js';
import { SAMPLE_FILES, samplesFolder } from '../../src/server/cluster/sample-files.js';
import { HEALTH } from '../dashboard/feed-harness.js';
import { strongCage } from '../support/cage.js';
import { makeMedia } from '../support/media-files.js';
import { handClock, memoryLog, temporaryFolderOfFile, until } from '../support/store-harness.js';
import { fakeWorkers } from '../support/worker-channel.js';

const data = temporaryFolderOfFile();
const folder = samplesFolder(data.path);
const log = memoryLog();
const MEDIA = 1;
let tools: MediaTools;
let flv: Uint8Array;

beforeAll(async () => {
  tools = await MediaTools.open({ cage: await strongCage(join(data.path, 'tools')), log });
  const path = join(data.path, 'sample.flv');
  makeMedia(path, { size: '320x180', seconds: 5 });
  flv = readFileSync(path);
});
afterAll(() => data.remove());

/** An ingest process whose media process answers when the test says so. */
function harness() {
  const workers = fakeWorkers<string, SampleAnswer>(MEDIA);
  const samples = new MediaSamples(folder, workers.channel);
  return { ...workers, samples };
}

const notRun = () => Promise.reject(new Error('not run'));
const busy = { hasRoomForPicture: false, picture: notRun, hasRoomForStill: false, still: notRun };

const left = () => readdirSync(folder);

test('the media process runs ffprobe on the file of the sample, which is removed afterwards', async () => {
  const { samples, asked, answer } = harness();
  const opinion = samples.sample(flv);
  await until(() => asked.length === 1);
  const name = asked[0]?.question ?? '';
  expect(left()).toEqual([name]);
  answer(MEDIA, await probeSample(folder, name, tools));
  expect(await opinion).toMatchObject({ videoCodec: 'H.264', width: 320, height: 180, audioCodec: 'AAC LC' });
  expect(left()).toEqual([]);
});

test('counts a sample that ffprobe cannot read as failed', async () => {
  const { samples, asked, answer } = harness();
  const probe = deepProbe(samples);
  const judged = probe.judge('1', Buffer.from('no FLV'), HEALTH);
  await until(() => asked.length === 1);
  answer(MEDIA, await probeSample(folder, asked[0]?.question ?? '', tools));
  await judged;
  expect(probe.counts).toMatchObject({ samples: 1, failed: 1, skipped: 0 });
});

test('counts a sample as skipped if the media process ends or does not exist, without waiting', async () => {
  const { samples, asked, end } = harness();
  const probe = deepProbe(samples);
  const judged = probe.judge('1', flv, HEALTH);
  await until(() => asked.length === 1);
  end(MEDIA);
  await judged;
  expect(probe.counts).toMatchObject({ samples: 0, failed: 0, skipped: 1 });
  expect(left()).toEqual([]);
  expect(probe.hasRoom).toBe(false);
  await probe.judge('1', flv, HEALTH);
  expect(probe.counts.skipped).toBe(2);
  expect(left()).toEqual([]);
});

test('skips a sample if the media process does not respond in time', async () => {
  const samples = new MediaSamples(folder, fakeWorkers<string, SampleAnswer>(MEDIA).channel, 1);
  await expect(samples.sample(flv)).rejects.toThrow(SampleSkippedError);
  expect(left()).toEqual([]);
});

test('bounds the waiting files', async () => {
  const { samples, asked, end } = harness();
  const waiting = Array.from({ length: SAMPLE_FILES.pending }, () => samples.sample(flv).catch(String));
  expect(samples.hasRoomForSample).toBe(false);
  await expect(samples.sample(flv)).rejects.toThrow(SampleSkippedError);
  await until(() => asked.length === SAMPLE_FILES.pending);
  expect(left()).toHaveLength(SAMPLE_FILES.pending);
  end(MEDIA);
  await Promise.all(waiting);
  expect(left()).toEqual([]);
});

test('the media process decodes a key frame; without room, or damaged, it gives the reason', async () => {
  const { channel, asked, answer } = fakeWorkers<string, ImageAnswer>(MEDIA);
  const pictures = new MediaImages(folder, { picture: channel, still: channel });
  const picture = pictures.picture(flv);
  await until(() => asked.length === 1);
  answer(MEDIA, await decodeImage('picture', folder, asked[0]?.question ?? '', tools.decoder));
  expect(await picture).toHaveLength(160 * 90);
  expect(left()).toEqual([]);
  const damaged = pictures.picture(Buffer.from('no FLV'));
  await until(() => asked.length === 2);
  answer(MEDIA, await decodeImage('picture', folder, asked[1]?.question ?? '', tools.decoder));
  await expect(damaged).rejects.toThrow(/ToolError/);
  expect(await decodeImage('picture', folder, 'any', busy)).toMatchObject({ result: 'skipped' });
});

test('the media process makes a still of a key frame, unless it is busy', async () => {
  const { channel, asked, answer } = fakeWorkers<string, ImageAnswer>(MEDIA);
  const still = new MediaImages(folder, { picture: channel, still: channel }).still(flv);
  await until(() => asked.length === 1);
  answer(MEDIA, await decodeImage('still', folder, asked[0]?.question ?? '', tools.decoder));
  expect(Buffer.from(await still).toString('hex', 0, 3)).toBe('ffd8ff');
  expect(left()).toEqual([]);
  expect(await decodeImage('still', folder, 'any', busy)).toMatchObject({ result: 'skipped' });
});

test('skips a sample that cannot be written to disk', async () => {
  const path = join(data.path, 'no-folder');
  writeFileSync(path, '');
  const samples = new MediaSamples(path, fakeWorkers<string, SampleAnswer>(MEDIA).channel);
  await expect(samples.sample(flv)).rejects.toThrow(SampleSkippedError);
});

test('the media process reads only samples: no other names, and nothing too large', async () => {
  const name = '00000000-0000-4000-8000-000000000000.flv';
  expect(await probeSample(folder, '../sample.flv', tools)).toMatchObject({ result: 'skipped' });
  expect(await probeSample(folder, name, tools)).toMatchObject({ result: 'skipped' });
  writeFileSync(join(folder, name), Buffer.alloc(SAMPLE_FILES.bytes + 1));
  expect(await probeSample(folder, name, tools)).toMatchObject({ result: 'skipped' });
  expect(existsSync(join(folder, name))).toBe(true);
});

function deepProbe(probe: MediaSamples): DeepProbe {
  return new DeepProbe({ probe, volatile: { set: async () => undefined }, clock: handClock(), log });
}

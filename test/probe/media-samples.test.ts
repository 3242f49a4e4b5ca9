import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeepProbe, SampleSkippedError } from '../../src/probe/deep-probe.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import { CALL_LIMITS } from '../../src/server/rpc/contract.js';
import { type MediaParts, MediaProcess, mediaCalls, SAMPLE_FILES, samplesFolder } from '../../src/server/rpc/media.js';
import { HEALTH } from '../dashboard/feed-harness.js';
import { strongCage } from '../support/cage.js';
import { fakeCalls } from '../support/fake-calls.js';
import { makeMedia } from '../support/media-files.js';
import { handClock, memoryLog, temporaryFolderOfFile, until } from '../support/store-harness.js';

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
function harness(at = folder) {
  const { calls, sent, answer, begin, end } = fakeCalls('media', MEDIA);
  const media = new MediaProcess(calls, at);
  /** Answers the last call, as the media process does. */
  const serve = async (name: 'sample' | 'picture' | 'still') => {
    answer(MEDIA, await answers()[name](fileOf(sent), 0));
  };
  return { media, sent, begin, end, serve };
}

const fileOf = (sent: readonly { readonly args: readonly unknown[] }[]) => String(sent.at(-1)?.args[0]);

const notRun = () => Promise.reject(new Error('not run'));
const busy = { hasRoomForPicture: false, picture: notRun, hasRoomForStill: false, still: notRun };
const silent = { hasRoom: false, check: notRun, witness: notRun };

/** The calls that the media process answers. */
function answers(parts: Partial<MediaParts> = {}) {
  const clips = { clip: notRun };
  return mediaCalls({ folder, probe: tools, decoder: tools.decoder, comparer: silent, clips, ...parts });
}

const left = () => readdirSync(folder);

test('the media process runs ffprobe on the file of the sample, which is removed afterwards', async () => {
  const { media, sent, serve } = harness();
  const opinion = media.sample(flv);
  await until(() => sent.length === 1);
  expect(left()).toEqual([fileOf(sent)]);
  await serve('sample');
  expect(await opinion).toMatchObject({ videoCodec: 'H.264', width: 320, height: 180, audioCodec: 'AAC LC' });
  expect(left()).toEqual([]);
});

test('counts a sample that ffprobe cannot read as failed', async () => {
  const { media, sent, serve } = harness();
  const probe = deepProbe(media);
  const judged = probe.judge('1', Buffer.from('no FLV'), HEALTH);
  await until(() => sent.length === 1);
  await serve('sample');
  await judged;
  expect(probe.counts).toMatchObject({ samples: 1, failed: 1, skipped: 0 });
});

test('the file of a sample waits for the next media process if the one ends, and the sample is skipped if that ends, too', async () => {
  const { media, sent, begin, end } = harness();
  const probe = deepProbe(media);
  const judged = probe.judge('1', flv, HEALTH);
  await until(() => sent.length === 1);
  end(MEDIA);
  expect(probe.hasRoom).toBe(true);
  begin(MEDIA + 1);
  await until(() => sent.length === 2);
  expect(left()).toEqual([fileOf(sent)]);
  end(MEDIA + 1);
  await judged;
  expect(probe.counts).toMatchObject({ samples: 0, failed: 0, skipped: 1 });
  expect(left()).toEqual([]);
});

test('bounds the waiting files', async () => {
  const { media, sent, begin, end } = harness();
  const { places = 0 } = CALL_LIMITS.media.sample;
  const waiting = Array.from({ length: places }, () => media.sample(flv).catch(String));
  expect(media.hasRoomForSample).toBe(false);
  await expect(media.sample(flv)).rejects.toThrow(SampleSkippedError);
  await until(() => sent.length === places);
  expect(left()).toHaveLength(places);
  end(MEDIA);
  begin(MEDIA + 1);
  await until(() => sent.length === 2 * places);
  end(MEDIA + 1);
  await Promise.all(waiting);
  expect(left()).toEqual([]);
});

test('the media process decodes a key frame; without room, or damaged, it gives the reason', async () => {
  const { media, sent, serve } = harness();
  const picture = media.picture(flv);
  await until(() => sent.length === 1);
  await serve('picture');
  expect(await picture).toHaveLength(160 * 90);
  expect(left()).toEqual([]);
  const damaged = media.picture(Buffer.from('no FLV'));
  await until(() => sent.length === 2);
  await serve('picture');
  await expect(damaged).rejects.toThrow(/ToolError/);
  expect(await answers({ decoder: busy }).picture('any', 0)).toMatchObject({ result: 'skipped' });
});

test('the media process makes a still of a key frame, unless it is busy', async () => {
  const { media, sent, serve } = harness();
  const still = media.still(flv);
  await until(() => sent.length === 1);
  await serve('still');
  expect(Buffer.from(await still).toString('hex', 0, 3)).toBe('ffd8ff');
  expect(left()).toEqual([]);
  expect(await answers({ decoder: busy }).still('any', 0)).toMatchObject({ result: 'skipped' });
});

test('skips a sample that cannot be written to disk', async () => {
  const path = join(data.path, 'no-folder');
  writeFileSync(path, '');
  const { media } = harness(path);
  await expect(media.sample(flv)).rejects.toThrow(SampleSkippedError);
});

test('the media process reads only samples: no other names, and nothing too large', async () => {
  const name = '00000000-0000-4000-8000-000000000000.flv';
  expect(await answers().sample('../sample.flv', 0)).toMatchObject({ result: 'skipped' });
  expect(await answers().sample(name, 0)).toMatchObject({ result: 'skipped' });
  writeFileSync(join(folder, name), Buffer.alloc(SAMPLE_FILES.bytes + 1));
  expect(await answers().sample(name, 0)).toMatchObject({ result: 'skipped' });
  expect(existsSync(join(folder, name))).toBe(true);
});

function deepProbe(probe: MediaProcess): DeepProbe {
  return new DeepProbe({ probe, volatile: { set: async () => undefined }, clock: handClock(), log });
}

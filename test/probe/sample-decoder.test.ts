import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LimitedTools } from '../../src/probe/limited-tools.js';
import { DECODER_LIMITS, PICTURE_SIZE, SampleDecoder, SOUND_RATE } from '../../src/probe/sample-decoder.js';
import { findTools } from '../../src/probe/tool-paths.js';
import { strongCage } from '../support/cage.js';
import { runFfmpeg } from '../support/media-files.js';
import { memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
let decoder: SampleDecoder;

beforeAll(async () => {
  const cage = await strongCage(join(folder.path, 'tools'));
  decoder = new SampleDecoder(await LimitedTools.open(findTools({}), cage, memoryLog()));
});
afterAll(() => folder.remove());

function sample(name: string, ...args: string[]): Uint8Array {
  const path = join(folder.path, `${name}.flv`);
  runFfmpeg([...args, path]);
  return readFileSync(path);
}

const mean = (values: Uint8Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('decodes a key frame to a small gray picture', async () => {
  const [black, white] = ['black', 'white'].map((color) =>
    sample(color, '-f', 'lavfi', '-i', `color=${color}:s=640x360:r=30:d=0.1`, '-frames:v', '1', '-c:v', 'libx264'),
  );
  const dark = await decoder.picture(black ?? Buffer.of());
  expect(dark).toHaveLength(PICTURE_SIZE.width * PICTURE_SIZE.height);
  expect(mean(dark)).toBeLessThan(2);
  expect(mean(await decoder.picture(white ?? Buffer.of()))).toBeGreaterThan(250);
});

test('decodes a key frame to a still of at most 640x360', async () => {
  const flv = sample('large', '-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:d=0.1', '-frames:v', '1', '-c:v', 'libx264');
  const jpeg = Buffer.from(await decoder.still(flv));
  expect([...jpeg.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(jpeg.length).toBeLessThan(DECODER_LIMITS.stillBytes);
  // The first frame header: marker, length, precision, height, width.
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  expect([jpeg.readUInt16BE(frame + 5), jpeg.readUInt16BE(frame + 7)]).toEqual([360, 640]);
});

test('decodes sound to one channel', async () => {
  const tone = sample('tone', '-f', 'lavfi', '-i', 'sine=440:r=44100:d=2', '-ac', '2', '-c:a', 'aac');
  const { bytes, tookMs } = await decoder.sound(tone, 'pcm');
  const pcm = Buffer.from(bytes);
  expect(tookMs).toBeGreaterThan(0);
  expect(pcm.length / 2 / SOUND_RATE).toBeCloseTo(2, 0);
  expect(Math.max(...Array.from({ length: 5000 }, (_, i) => Math.abs(pcm.readInt16LE(2 * i))))).toBeGreaterThan(1000);
});

test('a sample that cannot be decoded is a fault of its run alone', async () => {
  await expect(decoder.picture(Buffer.from('no FLV'))).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  await expect(decoder.sound(Buffer.from('no FLV'), 'pcm')).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  await expect(decoder.still(Buffer.from('no FLV'))).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  expect([decoder.hasRoomForPicture, decoder.hasRoomForStill]).toEqual([true, true]);
});

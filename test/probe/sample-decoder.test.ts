import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bitErrors, parsePrint } from '../../src/copyright/prints.js';
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

/** A sample as a tap collects it: without metadata, from `fromS` on. */
function melody(name: string, ...args: string[]): Uint8Array {
  const notes =
    "aevalsrc='0.3*sin(2*PI*(200+150*sin(t*1.7)+60*floor(mod(t*3,7)))*t)+0.2*sin(2*PI*(500+80*floor(mod(t*2,5)))*t)'";
  const output = ['-c:a', 'aac', '-b:a', '128k', '-flvflags', 'no_metadata+no_sequence_end+no_duration_filesize'];
  return sample(name, '-f', 'lavfi', '-i', `${notes}:s=48000:d=8.1`, ...output, ...args);
}

/** Part of the bits that differ. */
function errorRate(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [parsePrint(one), parsePrint(other)];
  const length = Math.min(a.length, b.length);
  return bitErrors(a.subarray(0, length), b, 0, 32 * length) / (32 * length);
}

test('one process makes the prints of all samples of an owner, as single runs do', async () => {
  const [stereo, mono, noise] = [
    melody('stereo', '-ac', '2'),
    melody('mono', '-ac', '1', '-ar', '44100'),
    melody('other', '-ac', '2', '-af', 'rubberband=pitch=1.3'),
  ];
  const alone = (await decoder.sound(stereo, 'chromaprint')).bytes;
  expect(alone.length / 4).toBeGreaterThanOrEqual(43);
  const started: boolean[] = [];
  for (const flv of [stereo, noise, mono, stereo]) {
    const { items, isStarted } = await decoder.print(flv, 'owner-a');
    started.push(isStarted);
    expect(Math.abs(items.length - alone.length) / 4).toBeLessThanOrEqual(1);
    const rate = errorRate(items, alone);
    // Nothing of the sample before is in it.
    if (flv === noise) expect(rate).toBeGreaterThan(0.2);
    else expect(rate).toBeLessThan(0.06);
  }
  expect(started).toEqual([true, false, false, false]);
  expect((await decoder.print(stereo, 'owner-b')).isStarted).toBe(true);
  expect(decoder.kept).toBe(2);
});

/** The same tags, each frame after the sequence header with other bytes. */
function damaged(flv: Uint8Array): Uint8Array {
  const copy = Buffer.from(flv);
  for (let at = 13; at < copy.length; at += 15 + copy.readUIntBE(at + 1, 3)) {
    const isFrame = copy[at + 12] === 1;
    const end = at + 11 + copy.readUIntBE(at + 1, 3);
    for (let byte = at + 16; isFrame && byte < end; byte++) copy[byte] = (copy[byte] ?? 0) ^ (byte % 251);
  }
  return copy;
}

test('damaged sound ends the process of its owner only, who has none for a while', async () => {
  const whole = melody('whole', '-ac', '2');
  const broken = damaged(whole);
  await decoder.print(whole, 'owner-c');
  const before = decoder.kept;
  await decoder.print(broken, 'owner-c');
  expect((await decoder.print(whole, 'owner-c')).isStarted).toBe(true);
  expect(decoder.kept).toBe(before - 1);
  await expect(decoder.print(Buffer.from('no FLV'), 'owner-c')).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  expect((await decoder.print(whole, 'owner-b')).isStarted).toBe(false);
});

test('a sample that cannot be decoded is a fault of its run alone', async () => {
  await expect(decoder.picture(Buffer.from('no FLV'))).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  await expect(decoder.sound(Buffer.from('no FLV'), 'pcm')).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  await expect(decoder.still(Buffer.from('no FLV'))).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  expect([decoder.hasRoomForPicture, decoder.hasRoomForStill]).toEqual([true, true]);
});

/**
 * CEA-608 as FFmpeg and x264 write it: x264 takes the captions of its input (`-a53cc`) and writes the messages itself, and
 * FFmpeg's decoder of captions reads the text. The input is from this repository, since there is no encoder of captions at hand.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SliceList } from '../../../src/bytes/slices.js';
import { FlvFileReader } from '../../../src/media/flv/file-reader.js';
import { flvFileHeader, flvTag } from '../../../src/media/flv/file-writer.js';
import { judgeStream } from '../../rules/harness.js';
import { captionSei, PADDING_608, type Triple } from '../../support/caption-writer.js';
import { applyEdits, type Edit } from '../../support/fixture-edits.js';
import { folderOfFile } from '../../support/folders.js';
import type { SynthMessage } from '../../support/synth-stream.js';

const FPS = 30;
const SECONDS = 5;
const ENCODED =
  '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 30 -fflags +bitexact -flvflags no_duration_filesize -f flv';

const folder = folderOfFile('captions-');
afterAll(() => rmSync(folder, { recursive: true }));

function ffmpeg(args: string, input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync('ffmpeg', `-v error -nostdin ${args}`.split(' '), {
    input,
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`ffmpeg ended with ${status}: ${stderr}`);
  return stdout;
}

function messagesOf(file: Buffer): SynthMessage[] {
  const messages: SynthMessage[] = [];
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => messages.push({ kind, timestampMs, payload: payload.copy(0, payload.length) }),
  });
  reader.push(file);
  return messages;
}

function fileOf(messages: Iterable<SynthMessage>): Buffer {
  const parts: Uint8Array[] = [flvFileHeader(false, true)];
  for (const { kind, timestampMs, payload } of messages)
    parts.push(...flvTag(kind, timestampMs, SliceList.of(payload)));
  return Buffer.concat(parts);
}

/** Odd parity in the highest bit (CEA-608). */
function withParity(byte: number): number {
  let ones = 0;
  for (let bit = 0; bit < 7; bit++) ones += (byte >> bit) & 1;
  return ones % 2 === 0 ? byte | 0x80 : byte;
}

/** Two rolled-up rows of channel 1, as a pair for each picture: control codes twice, text, then padding. */
function captionsOf(text: string): Triple[] {
  const pair = (one: number, two: number): Triple => [0xfc, withParity(one), withParity(two)];
  const rollUp = [pair(0x14, 0x25), pair(0x14, 0x25)];
  const newRow = [pair(0x14, 0x2d), pair(0x14, 0x2d)];
  const letters = text.padEnd(text.length + (text.length % 2)).match(/../g) ?? [];
  const pairs = letters.map((two) => pair(two.charCodeAt(0), two.charCodeAt(1)));
  return [...rollUp, ...newRow, ...pairs, ...newRow];
}

function withCaptions(source: Buffer, captions: readonly Triple[]): Buffer {
  const edits = Array.from({ length: FPS * SECONDS }, (_, frame): Edit => {
    const hex = Buffer.from(captionSei([captions[frame] ?? PADDING_608])).toString('hex');
    return ['nal', { from_ms: Math.round((frame * 1000) / FPS) - 5, to_ms: Math.round((frame * 1000) / FPS) + 5, hex }];
  });
  return fileOf(applyEdits(messagesOf(source), edits));
}

test('x264 writes the captions that it was given; pictures with text are counted, padding and B pictures apart', () => {
  const source = ffmpeg(`-f lavfi -i testsrc2=s=320x180:r=${FPS}:d=${SECONDS} -bf 0 ${ENCODED} pipe:1`);
  const captions = captionsOf('GOOD EVENING');
  const encoded = ffmpeg(`-i pipe:0 -bf 2 -a53cc 1 ${ENCODED} pipe:1`, withCaptions(source, captions));
  const file = join(folder, 'captions.flv');
  writeFileSync(file, encoded);
  const text = ffmpeg(`-f lavfi -i movie=${file}[out0+subcc] -map 0:s -f srt pipe:1`).toString();
  expect(text).toContain('GOOD EVENING');

  const [row, ...others] = judgeStream(messagesOf(encoded)).judge.health().dataTracks ?? [];
  expect(others).toEqual([]);
  expect(row).toMatchObject({ kind: 'captions', format: 'CEA-608 field 1', count: captions.length });
  expect(row?.invalid).toBeUndefined();
  expect(row?.lastMs).toBeLessThan(1000);
});

test('x264 writes no captions of a source without them', () => {
  const plain = ffmpeg(`-f lavfi -i testsrc2=s=320x180:r=${FPS}:d=1 ${ENCODED} pipe:1`);
  expect(judgeStream(messagesOf(plain)).judge.health().dataTracks).toBeUndefined();
});

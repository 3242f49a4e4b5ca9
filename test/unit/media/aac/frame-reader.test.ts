import { describe, expect, test } from '@jest/globals';
import { parseAudioSpecificConfig } from '../../../../src/media/aac/audio-specific-config.js';
import { AacFrameReader } from '../../../../src/media/aac/frame-reader.js';
import { FrameSampling } from '../../../../src/media/aac/frame-sampling.js';
import { aacFault } from '../../../../src/media/aac/frame-syntax.js';
import { DEAD_AIR } from '../../../../src/spec/tolerances.js';

const CONFIG_48K = parseAudioSpecificConfig(Buffer.from('1190', 'hex'));
/** FFmpeg's encoder: noise at 64 kbps, and digital silence. */
const NOISE = Buffer.from(
  '2178cffffff000a0b1a534d41d2b5d7fd386b66a55ed733543fb04ff65e20d599c29dec9ef1b665faf751c2f09b251f78e98f72fe3a0c3264bdbe343829b160ec77b8fc4002ecad522a7e955f3217c2a9ec58180a77ecfbe375bf9bd572ecaf596d4037d37874ad75ff4e1ad9a957b5ccd50fec9509310000000000007',
  'hex',
);
const SILENCE = Buffer.from('21100460' + '8c1c', 'hex');
/** The same of another encoder, in which each section is written out. */
const PADDED_SILENCE = Buffer.from('211145001450014700000000', 'hex');
/** 5 minutes at 48 kHz. */
const SPARSE_AFTER = 14_400;

function readerOf(isFile: boolean): AacFrameReader {
  const reader = new AacFrameReader();
  if (isFile) reader.sampleFile();
  return reader;
}

/** What was done with each of the next frames. */
function read(reader: AacFrameReader, count: number, config = CONFIG_48K, frame: Uint8Array = NOISE): string[] {
  return Array.from({ length: count }, () => {
    const out = { syntaxFault: '', levels: undefined, isRepeat: false } as Parameters<AacFrameReader['read']>[5];
    const to = reader.wantedBytes(frame.length);
    reader.read(frame, 0, to, frame.length, config, out);
    const { levels } = out;
    if (levels === undefined) return '-';
    const uses = [
      levels.isJudged && 'rules',
      levels.isMetered && 'meter',
      levels.denseFrames > 0 && `dense ${levels.denseFrames}`,
      levels.blockFrames > 0 && `block ${levels.blockFrames}`,
    ];
    return uses.filter((use) => use !== false).join(' ');
  });
}

function indexesOf(uses: readonly string[], wanted: string): number[] {
  return uses.flatMap((use, i) => (use === wanted ? [i] : []));
}

function countsOf(uses: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const use of uses) counts[use] = (counts[use] ?? 0) + 1;
  return counts;
}

describe('frames that are decoded', () => {
  test('are one in 16 of a stream, however long', () => {
    const reader = readerOf(false);
    expect(countsOf(read(reader, 1600))).toEqual({ 'rules meter': 100, '-': 1500 });
    read(reader, 2 * SPARSE_AFTER);
    expect(countsOf(read(reader, 1600))).toEqual({ 'rules meter': 100, '-': 1500 });
  });

  test('are one in four in the first minute of a file, then one in eight, and after 5 minutes one in 128 and some blocks', () => {
    const reader = readerOf(true);
    expect(countsOf(read(reader, 2880))).toEqual({ 'rules meter dense 4': 180, 'dense 4': 540, '-': 2160 });
    const second = { 'rules meter dense 8': 720, 'dense 8': 720, '-': 10_080 };
    expect(countsOf(read(reader, SPARSE_AFTER - 2880))).toEqual(second);
    // Equal frames are sure with the fewest blocks.
    const period = read(reader, 1024);
    expect(countsOf(period)).toEqual({ 'block 1024': 4, rules: 8, '-': 1012 });
    expect(indexesOf(period, 'rules')).toEqual([0, 128, 256, 384, 512, 640, 768, 896]);
    const [at = 0, ...others] = indexesOf(period, 'block 1024');
    expect(others.map((i) => i - at)).toEqual([6, 12, 18]);
  });

  test('are as many a minute at low rates, where a frame lasts twice as long', () => {
    const stream = new FrameSampling();
    const file = new FrameSampling();
    file.sampleFile();
    const decodedOf = (sampling: FrameSampling, frames: number) => {
      let decoded = 0;
      for (let i = 0; i < frames; i++, sampling.next(24_000)) if (sampling.uses !== 0) decoded++;
      return decoded;
    };
    expect(decodedOf(stream, 1600)).toBe(200);
    decodedOf(file, SPARSE_AFTER);
    // No power was passed to it, so that the blocks are as far apart as they may be.
    expect(decodedOf(file, 512)).toBe(8 + 4);
  });

  test.each([SILENCE, PADDED_SILENCE])(
    'include a silence that begins between two samples of a long file',
    (silence) => {
      const reader = readerOf(true);
      read(reader, SPARSE_AFTER + 30);
      expect(read(reader, 4, CONFIG_48K, silence)).toEqual(['-', 'rules', 'rules', 'rules']);
      expect(read(reader, 3)).toEqual(['rules', '-', '-']);
    },
  );
});

describe('repeated frames', () => {
  const differing = (at: number): Uint8Array => NOISE.map((byte, i) => (i === at ? byte ^ 0x40 : byte));
  const repeats = (frames: readonly Uint8Array[]): boolean[] => {
    const reader = readerOf(false);
    return frames.map((frame) => {
      const out = { syntaxFault: '', levels: undefined, isRepeat: false };
      reader.read(frame, 0, frame.length, frame.length, CONFIG_48K, out);
      return out.isRepeat;
    });
  };

  test('are told from frames of another size, and from such that differ in one byte', () => {
    expect(repeats([NOISE, NOISE, NOISE])).toEqual([false, true, true]);
    expect(repeats([NOISE, SILENCE, NOISE, NOISE])).toEqual([false, false, false, true]);
    expect(repeats([NOISE, differing(64), NOISE])).toEqual([false, false, false]);
    // All bytes are compared once a frame seemed equal.
    for (const at of [65, 66]) {
      expect(repeats([NOISE, NOISE, differing(at), NOISE, NOISE])).toEqual([false, true, false, false, true]);
    }
  });

  test('are read in a long file, though no sample is due', () => {
    const reader = readerOf(true);
    read(reader, SPARSE_AFTER + 30);
    expect(read(reader, 1, CONFIG_48K, differing(64))).toEqual(['-']);
    expect(read(reader, 40).flatMap((use, i) => (use === '-' ? [] : [[i + 1, use]]))).toEqual([
      [DEAD_AIR.stuckFrames.value + 1, 'rules'],
    ]);
  });
});

test('a damaged start is named, whether it is read with the bytes after it or alone', () => {
  for (const [bit, fault] of [
    [8, 'a reserved bit set'],
    [19, 'more bands than its sample rate has'],
  ] as const) {
    const frame = Uint8Array.from(NOISE);
    if (bit === 8) frame[1] = (frame[1] as number) | 0x80;
    else for (let i = 12; i < 18; i++) frame[i >> 3] = (frame[i >> 3] as number) | (0x80 >> (i & 7));
    for (const to of [32, 96, frame.length]) expect(aacFault(frame, 0, to, frame.length, CONFIG_48K)).toBe(fault);
  }
  for (const to of [32, 96, NOISE.length]) expect(aacFault(NOISE, 0, to, NOISE.length, CONFIG_48K)).toBe('');
});

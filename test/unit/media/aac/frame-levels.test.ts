import { describe, expect, test } from '@jest/globals';
import { BitCursor } from '../../../../src/bytes/bit-cursor.js';
import { parseAudioSpecificConfig } from '../../../../src/media/aac/audio-specific-config.js';
import { kGain } from '../../../../src/media/aac/bands.js';
import { type AudioLevels, frameFault, frameLevels } from '../../../../src/media/aac/frame-levels.js';
import { HuffmanBook } from '../../../../src/media/aac/huffman-book.js';
import { SCALE_FACTOR_BOOK, SPECTRAL_BOOKS } from '../../../../src/media/aac/huffman-tables.js';
import { buildAsc, silentFrame, toneFrame } from '../../../support/aac-writer.js';
import { concat } from '../../../support/bit-writer.js';

const STEREO = parseAudioSpecificConfig(buildAsc());

function levels(bytes: Uint8Array, config = STEREO): AudioLevels {
  const out = frameLevels(bytes, 0, bytes.length, config);
  if (out === undefined) throw new Error('the frame cannot be decoded');
  return { ...out };
}

const dB = (power: number): number => 10 * Math.log10(power);
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

/** FFmpeg's encoder: noise that swells, with temporal noise shaping in one channel, and in short windows. */
const SHAPED = hex(
  '2118cff5dff998a1608df4223d1095550a4f3d997adeb7c6b991ef529774469266800024d9e000c5bb64f05b1a392348d90cb48d30e2a49d3753' +
    '20569d3a894e0f247990a545b2ab93c92f305d2c130a08952a8f3e893b4df09d17593a3b509634423d088bc3a25542b8de68e39d6f5be35cc8f4' +
    'a517510476727eb271f3c23cd309c43c01c685dac08002f3a6d77b083a5280cc28200b4d8ba40a98effc1782b55d1624643238',
);
const SHORT = hex(
  '21466ce9d2554e3eb236c8db255ef5d6b9ff1fd249bfe7f8ae19fe7fbf5acdacfb913b801def18cd254acd88e39c317c66270ac8cb4c31e1abe5' +
    '8e91a1654c51e4d7c72abcb69958e6f608ce3684aa503933a9435b2716f9b2338d919e6894f2f7f3959fe3fa45d7fa7faf0ad7f8fd2bbf383c62' +
    '0ba45f5be5dbcae0e6ccb3a2117eaf957f4a1ccd847cbef2f6cc54797e11fb2d66ff78a1908a6e',
);

describe('codebooks', () => {
  test.each([SCALE_FACTOR_BOOK, ...SPECTRAL_BOOKS].map((text, i) => [i, text] as const))(
    'book %d is complete: each index has one codeword and any bits are one',
    (_i, text) => {
      const parts = text.split(' | ').map((part) => part.split(':'));
      const kraft = parts.reduce((sum, [length, list = '']) => sum + list.split(' ').length * 2 ** -Number(length), 0);
      const indexes = parts.flatMap(([, list = '']) => list.split(' ').map(Number)).sort((a, b) => a - b);
      expect(kraft).toBe(1);
      expect(indexes).toEqual(indexes.map((_, i) => i));
      expect(new HuffmanBook(text).size).toBe(indexes.length);
    },
  );

  test('reads short and long codewords', () => {
    const bits = new BitCursor(4);
    bits.open(hex('0f ff fe e8'), 0, 4); // 0 | 0001111… of book 11 is read below
    const factors = new HuffmanBook(SCALE_FACTOR_BOOK);
    expect(factors.read(bits)).toBe(60);
    bits.open(hex('ff ff f0'), 0, 3);
    expect(factors.read(bits)).toBe(13);
    expect(bits.position).toBe(19);
  });
});

describe('levels of a frame', () => {
  test.each([
    ['ffmpeg, stereo', '21 10 04 60 8c 1c', STEREO],
    ['fdk, stereo', '21 11 45 00 14 50 01 47', STEREO],
    ['ffmpeg, mono', '01 18 20 07', parseAudioSpecificConfig(buildAsc({ channelConfiguration: 1 }))],
  ])('finds the silence of %s', (_name, bytes, config) => {
    expect(levels(hex(bytes), config)).toMatchObject({ isZero: true, power: 0 });
  });

  test('gives the power of a line at full scale', () => {
    // Line 20 of the transform, 480 Hz; (sf - 100) / 4 = 21.25 as an exponent of 2.
    const one = 2 ** 42.5 / 2 ** 51;
    const { power, left, right, mid, side, isZero } = levels(toneFrame(2, 40));
    expect(isZero).toBe(false);
    expect(dB(left)).toBeCloseTo(dB(one * kGain(516)), 1);
    expect(right).toBeCloseTo(left, 12);
    expect(power).toBeCloseTo(left + right, 12);
    expect(mid).toBeCloseTo(left, 12);
    expect(side).toBeCloseTo(0, 12);
  });

  test('are weighted line by line at the lowest frequencies, alone and as middle and side', () => {
    const { left } = levels(toneFrame(2, 40));
    // The first line is at 12 Hz, which K weighting removes; the mean of its band is 13 dB above.
    const expected = (left / kGain(480)) * kGain(11.7);
    for (const isJoint of [false, true]) {
      const low = levels(toneFrame(2, 40, { bands: 1, isJoint }));
      expect(dB(low.power)).toBeCloseTo(dB(2 * expected * (isJoint ? 2 : 1)), 0);
      expect(low.right / low.left).toBeCloseTo(isJoint ? 0 : 1, 6);
    }
  });

  test('separates the channels of a middle and side pair', () => {
    const leftOnly = levels(toneFrame(2, 40, { isJoint: true }));
    expect(leftOnly.left).toBeGreaterThan(0);
    expect(leftOnly.right / leftOnly.left).toBeLessThan(1e-7);
    const opposite = levels(toneFrame(2, 40, { isJoint: true, gain: 0, rightGain: 185 }));
    expect(opposite.mid).toBeCloseTo(0, 12);
    expect(opposite.side).toBeCloseTo(opposite.left, 12);
    const inverted = levels(toneFrame(2, 40, { isOpposite: true }));
    expect(inverted.mid).toBeCloseTo(0, 12);
  });

  test.each([
    ['channels apart', toneFrame(2, 40)],
    ['middle and side', toneFrame(2, 40, { isJoint: true, rightGain: 170 })],
    ['long windows with noise shaping, middle and side', SHAPED],
    ['short windows', SHORT],
  ])('has the same power where only the power is read: %s', (_name, frame) => {
    const all = levels(frame);
    const power = frameLevels(frame, 0, frame.length, STEREO, true)?.power ?? Number.NaN;
    expect(all.power).toBeGreaterThan(0);
    expect(Math.abs(power / all.power - 1)).toBeLessThan(1e-12);
  });

  test('refuses a frame that ends early, and any damaged one without a throw', () => {
    const frame = toneFrame(2, 40);
    expect(frameLevels(frame, 0, 8, STEREO)).toBeUndefined();
    for (let at = 0; at < frame.length; at++) {
      const damaged = frame.slice();
      damaged[at] = (damaged[at] as number) ^ 0xff;
      const out = frameLevels(damaged, 0, damaged.length, STEREO);
      expect(out === undefined || out.power >= 0).toBe(true);
    }
  });

  test('names what is wrong with the syntax of a whole frame', () => {
    const frame = toneFrame(2, 40);
    const faultOf = (bytes: Uint8Array, config = STEREO): string => {
      frameLevels(bytes, 0, bytes.length, config);
      return frameFault;
    };
    expect(faultOf(frame)).toBe('');
    expect(faultOf(frame.subarray(0, 30))).toBe('an element past its end');
    expect(faultOf(concat(frame, Uint8Array.of(0)))).toBe('bytes after its end');
    const inserted = concat(frame.subarray(0, 30), Uint8Array.of(0, 0), frame.subarray(30));
    expect(faultOf(inserted)).toBe('another element than configured');
    expect(faultOf(toneFrame(1, 40))).toBe('another element than configured');
    expect(faultOf(toneFrame(1, 40), parseAudioSpecificConfig(buildAsc({ channelConfiguration: 1 })))).toBe('');
  });

  test('decodes the sizes that encoders send', () => {
    for (let size = 12; size < 700; size++) {
      expect(frameLevels(toneFrame(2, size), 0, size, STEREO)?.isZero).toBe(false);
      expect(frameLevels(silentFrame(2, size), 0, size, STEREO)?.isZero).toBe(true);
    }
  });
});

test('K weighting is 0 dB near 1 kHz less 0.7 dB, and 4 dB at the top', () => {
  expect(dB(kGain(997))).toBeCloseTo(0.69, 1);
  expect(dB(kGain(10_000))).toBeCloseTo(4, 0);
  expect(dB(kGain(20))).toBeLessThan(-10);
});

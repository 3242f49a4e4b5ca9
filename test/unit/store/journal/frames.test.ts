import fc from 'fast-check';
import { decodeFrames, encodeFrame } from '../../../../src/store/journal/frames.js';
import { raised } from '../../../support/store-harness.js';

const numbered = (ordinal: number) => ({ ordinal, entry: raised('55', 3, ordinal, { description: `é😀 ${ordinal}` }) });

test('reads frames back from any split of the bytes', () => {
  const frames = [1, 2, 3].map(numbered);
  const bytes = Buffer.concat(frames.map(encodeFrame));
  expect(decodeFrames(bytes)).toEqual({ entries: frames, consumed: bytes.length, sound: true });
  for (let end = 0; end < bytes.length; end += 1) {
    const whole = frames.filter((_, n) => Buffer.concat(frames.slice(0, n + 1).map(encodeFrame)).length <= end);
    const decoded = decodeFrames(bytes.subarray(0, end));
    expect(decoded.entries).toEqual(whole);
    expect(decoded.sound).toBe(true);
  }
});

test('stops before a frame with a changed byte', () => {
  const [first, second] = [encodeFrame(numbered(1)), encodeFrame(numbered(2))];
  fc.assert(
    fc.property(fc.nat(second.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
      const bytes = Buffer.concat([first, second, encodeFrame(numbered(3))]);
      const place = first.length + at;
      bytes.writeUInt8(bytes.readUInt8(place) ^ difference, place);
      const decoded = decodeFrames(bytes);
      expect(decoded.entries).toEqual([numbered(1)]);
      expect(decoded.consumed).toBe(first.length);
    }),
  );
});

test('reads no frames from other bytes', () => {
  expect(decodeFrames(Buffer.alloc(64))).toEqual({ entries: [], consumed: 0, sound: false });
  expect(decodeFrames(Buffer.alloc(64, 0xff))).toEqual({ entries: [], consumed: 0, sound: false });
});

test('refuses an oversized entry', () => {
  expect(() => encodeFrame({ ordinal: 1, entry: raised('1', 1, 1, { description: 'x'.repeat(1 << 20) }) })).toThrow(
    RangeError,
  );
});

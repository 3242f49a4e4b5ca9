/** Runs the retain-headers targets for a fixed number of executions, and tests parsing from a prefix. `npm run fuzz` runs longer. */
import { PartialFrame } from '../../src/bytes/partial-frame.js';
import { SliceList } from '../../src/bytes/slices.js';
import { TagParser } from '../../src/media/flv/tag-parser.js';
import { avcFrame, avcSequenceHeader, enhancedVideo, headOf, legacyVideo } from '../support/flv-writer.js';
import { fuzz } from '../support/fuzz.js';
import { accessUnitDelimiter, buildAvcc, lengthPrefixed, seiRecoveryPoint, slice } from '../support/h264-writer.js';
import { inPieces, retainHeadersTarget } from './targets/retain-headers.js';
import { config, PPS, SPS } from './targets/retain-headers-corpus.js';
import { sharedBuffer } from './targets/shared-buffer.js';

test.each([4, 2, 1] as const)(
  'frames with length fields of %i parse the same with retained headers and complete',
  async (size) => {
    expect(await fuzz(retainHeadersTarget(size))).toBeUndefined();
  },
);

test('a shared buffer delivers the same messages as kept buffers', async () => {
  expect(await fuzz(sharedBuffer)).toBeUndefined();
});

test('parses a frame from its prefix after the first frames following a header', () => {
  const parser = new TagParser();
  parser.parseVideo(SliceList.of(config(4)), 0);
  const message = avcFrame(lengthPrefixed([slice({ size: 9000 })]));
  const fromPrefix = Array.from({ length: 9 }, () => {
    const atOnce = parser.parsePrefix(headOf('video', message, 16));
    if (!atOnce) parser.parseVideo(inPieces(message), 40);
    return atOnce;
  });
  // The first eight after a header are parsed completely.
  expect(fromPrefix).toEqual([...Array<boolean>(8).fill(false), true]);
  expect(parser.video).toMatchObject({ type: 'coded', nalTypes: 2, payloadBytes: message.length - 5 });
});

describe('a frame that is not a plain inter frame is never parsed from its prefix', () => {
  const plain = lengthPrefixed([slice({ size: 60 })]);
  const fields = buildAvcc({ sps: [SPS[2] as Uint8Array], pps: [PPS] });
  const oneByteLengths = buildAvcc({ nalLengthSize: 1, sps: [SPS[0] as Uint8Array], pps: [PPS] });
  test.each<[string, Uint8Array, Uint8Array?]>([
    ['an IDR slice', avcFrame(lengthPrefixed([slice({ idr: true, size: 60 })]))],
    ['a key frame', avcFrame(plain, { key: true })],
    ['a NAL unit before the slice', avcFrame(lengthPrefixed([accessUnitDelimiter(), slice()]))],
    ['a unit that ends one byte after the message', avcFrame(plain.subarray(0, -1))],
    ['a stream that may code fields', avcFrame(plain), avcSequenceHeader(fields)],
    [
      'an empty unit before one of a single byte',
      avcFrame(Uint8Array.of(0, 1, 0x41)),
      avcSequenceHeader(oneByteLengths),
    ],
    ['another codec', legacyVideo(2, 4, plain)],
    ['an enhanced header', enhancedVideo('avc1', 'codedFramesX', plain)],
  ])('%s', (_name, message, header = config(4)) => {
    const parser = new TagParser();
    parser.parseVideo(SliceList.of(header), 0);
    for (let i = 0; i < 9; i++) parser.parseVideo(inPieces(avcFrame(plain)), 0);
    expect(parser.parsePrefix(headOf('video', message))).toBe(false);
  });
});

test('keeps only a few bytes of a long frame', () => {
  const parser = new TagParser();
  parser.parseVideo(SliceList.of(config(4)), 0);
  const message = avcFrame(lengthPrefixed([seiRecoveryPoint(), slice({ size: 200_000 })]), { key: true });
  const list = new SliceList();
  const progress = new PartialFrame();
  for (let at = 0; at < message.length - 1; at += 4096) {
    list.push(message, at, Math.min(at + 4096, message.length - 1));
    expect(parser.retainHeaders(list, progress)).toBe(true);
    expect(list.refersTo(message)).toBe(false);
  }
  expect(list.length).toBe(message.length - 1);
  expect(progress.kept).toBeLessThan(200);
});

/** Counts the pieces walked to reach the copied bytes. */
class Walked extends SliceList {
  pieces = 0;

  override copyInto(target: Uint8Array, at: number, from: number, to: number, first = 0, position = 0): void {
    for (let i = first, end = position; i < this.count && end < to; i++, this.pieces++) end += this.sizeAt(i);
    super.copyInto(target, at, from, to, first, position);
  }
}

test('walks many NAL units in many small chunks once, not once per unit', () => {
  const parser = new TagParser();
  parser.parseVideo(SliceList.of(config(4)), 0);
  const units = Array.from({ length: 700 }, () => slice({ size: 80 }));
  const message = avcFrame(lengthPrefixed(units), { key: true });
  const list = new Walked();
  // One read from a peer with a chunk size of 8.
  for (let at = 0; at < message.length - 8; at += 8) list.push(message, at, at + 8);
  const received = list.count;
  expect(parser.retainHeaders(list, new PartialFrame())).toBe(true);
  expect(list.pieces).toBeGreaterThan(received / 2);
  expect(list.pieces).toBeLessThan(received * 2);
});

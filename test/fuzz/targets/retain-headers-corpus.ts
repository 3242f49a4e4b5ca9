/** Frames of all framings, with and without retained headers: the header, then each NAL unit with its length. */
import {
  avcFrame,
  avcSequenceHeader,
  enhancedVideo,
  legacyVideo,
  nanosecondOffset,
  withCompositionTime,
} from '../../support/flv-writer.js';
import type { Parts } from '../../support/fuzz.js';
import {
  accessUnitDelimiter,
  buildAvcc,
  buildPps,
  buildSps,
  filler,
  lengthPrefixed,
  sei,
  seiRecoveryPoint,
  seiX264,
  slice,
} from '../../support/h264-writer.js';

export const SPS = [
  buildSps(),
  buildSps({ width: 854, height: 480, profileIdc: 66 }),
  buildSps({ height: 576, frameMbsOnly: false }),
];
export const PPS = buildPps();
const manySlices = Array.from({ length: 40 }, (_, i) => slice({ firstMb: i, size: 20 + 37 * (i % 9) }));

const nalUnitsOf: Uint8Array[][] = [
  [slice({ idr: true, size: 3000 })],
  [slice({ size: 9000 })],
  [accessUnitDelimiter(), ...SPS, PPS, seiX264(), slice({ idr: true, size: 2500 }), filler(900)],
  [seiRecoveryPoint(), slice({ size: 700 })],
  [sei(5, new Uint8Array(5000).fill(7)), slice({ idr: true, size: 400 })],
  manySlices,
  // The longest slice header: its field flag follows sixteen bits of frame_num.
  [
    buildSps({ height: 576, frameMbsOnly: false, log2MaxFrameNum: 16 }),
    PPS,
    slice({ idr: true, firstMb: 100_000, log2MaxFrameNum: 16, frameNum: 65_535, fieldPic: true, size: 600 }),
  ],
  [new Uint8Array(0), new Uint8Array(0), slice({ size: 100 })],
];

const NONE = new Uint8Array(0);

export function frames(nalLengthSize: 4 | 2 | 1): Parts[] {
  return nalUnitsOf.flatMap((units) => {
    // A length of one or two bytes holds short units only.
    const fitting = nalLengthSize === 4 ? units : units.map((unit) => unit.subarray(0, 255));
    const nals = fitting.map((unit) => lengthPrefixed([unit], nalLengthSize));
    const body = Buffer.concat(nals);
    const tracks = [0, 1].map((trackId) => ({ trackId, body: withCompositionTime(0, body) }));
    return [
      [avcFrame(NONE, { key: true }), ...nals],
      [avcFrame(NONE, { key: false }), ...nals],
      [enhancedVideo('avc1', 'codedFrames', NONE, { key: true, cts: 40 }), ...nals],
      [enhancedVideo('avc1', 'codedFramesX', NONE), ...nals],
      [enhancedVideo('avc1', 'codedFramesX', NONE, { key: true, modEx: [nanosecondOffset(4)] }), ...nals],
      [enhancedVideo('avc1', 'codedFrames', undefined, { multitrack: { kind: 1, tracks } })],
      [enhancedVideo('hvc1', 'codedFrames', body, { key: true })],
      [enhancedVideo('av01', 'codedFramesX', body)],
      [legacyVideo(1, 12, Uint8Array.of(1, 0, 0, 0)), body],
      [legacyVideo(2, 4, body)],
    ];
  });
}

export const config = (nalLengthSize: number): Uint8Array =>
  avcSequenceHeader(buildAvcc({ nalLengthSize, sps: [SPS[0] as Uint8Array], pps: [PPS] }));

/** Valid H.264, AAC and FLV, split into their elements. */
import { buildAsc } from '../../support/aac-writer.js';
import { hex } from '../../support/bit-writer.js';
import {
  aacFrame,
  aacSequenceHeader,
  avcEndOfSequence,
  avcFrame,
  avcSequenceHeader,
  enhancedAudio,
  enhancedVideo,
  legacyVideo,
  nanosecondOffset,
  videoCommandFrame,
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
  seiRecoveryPoint,
  seiX264,
  slice,
} from '../../support/h264-writer.js';

const hrd = { entries: [{ bitrateValueMinus1: 9, cpbSizeValueMinus1: 9, cbr: true }] };

export const SPS = [
  buildSps(),
  buildSps({ width: 854, height: 480, profileIdc: 66 }),
  buildSps({
    profileIdc: 244,
    chromaFormatIdc: 3,
    scalingLists: [[-8], undefined, [4, -12], ...Array(9).fill(undefined)],
  }),
  buildSps({ frameMbsOnly: false, mbaff: true, picOrderCntType: 1, refFrameOffsets: [1, -1, 2] }),
  buildSps({
    vui: {
      sar: [4, 3],
      timing: { numUnitsInTick: 1, timeScale: 60 },
      nalHrd: hrd,
      vclHrd: hrd,
      restriction: { maxNumReorderFrames: 1, maxDecFrameBuffering: 2 },
    },
  }),
  hex('6764002aac2cac0780227e5c05a808080a000007d00003a981c000004c4b00002625adde5c14'),
];

export const ASC = [
  buildAsc(),
  buildAsc({ sbr: 'off' }),
  buildAsc({ sbr: 'explicit', sampleRate: 24000 }),
  buildAsc({ sbr: 'backwardCompatible', ps: 'backwardCompatible' }),
  buildAsc({ channelConfiguration: 0, programConfig: { front: [true, false], lfe: 1, comment: 'x' } }),
  hex('f94824211cc0185000200097084730b0'),
];

/** Two LOAS frames: one with a config, one that reuses it. */
export const LOAS: Parts = [hex('56e0112000119056e50020000000000000ff'), hex('56e00680aabbccddee')];

export const NALS = [
  accessUnitDelimiter(),
  ...SPS.slice(0, 2),
  buildPps(),
  seiX264(),
  seiRecoveryPoint(),
  slice({ idr: true }),
  filler(9),
];

/** The bytes before the NAL units, then each NAL unit with its length. */
const frameParts = (frame: (nalUnits: Uint8Array) => Uint8Array): Parts => [
  frame(new Uint8Array(0)),
  ...NALS.map((nal) => lengthPrefixed([nal])),
];

const tracks = [
  { trackId: 0, body: withCompositionTime(1, lengthPrefixed(NALS)) },
  { trackId: 1, fourCc: 'av01', body: hex('aabb') },
];

export const VIDEO_BODIES: readonly Parts[] = [
  [avcSequenceHeader(buildAvcc({ sps: SPS }))],
  frameParts((body) => avcFrame(body, { key: true, cts: -3 })),
  [avcFrame(lengthPrefixed([slice()]))],
  [avcEndOfSequence()],
  [videoCommandFrame()],
  [legacyVideo(1, 2, new Uint8Array(20))],
  [enhancedVideo('avc1', 'sequenceStart', buildAvcc())],
  frameParts((body) => enhancedVideo('avc1', 'codedFrames', body, { key: true, modEx: [nanosecondOffset(5)] })),
  [enhancedVideo('avc1', 'codedFrames', undefined, { multitrack: { kind: 1, tracks } })],
  [enhancedVideo('', 'codedFrames', undefined, { multitrack: { kind: 2, tracks } })],
  [
    enhancedVideo('avc1', 'sequenceStart', undefined, {
      multitrack: { kind: 0, tracks: [{ trackId: 3, body: buildAvcc() }] },
    }),
  ],
];

const audioTracks = [
  { trackId: 0, body: buildAsc() },
  { trackId: 1, fourCc: 'Opus', body: hex('aabb') },
];

export const AUDIO_BODIES: readonly Parts[] = [
  ...ASC.map((asc) => aacSequenceHeader(asc)),
  aacFrame(new Uint8Array(9)),
  enhancedAudio('mp4a', 'sequenceStart', buildAsc()),
  enhancedAudio('Opus', 'codedFrames', hex('aabbcc'), { modEx: [nanosecondOffset(5)] }),
  enhancedAudio('', 'sequenceStart', undefined, { multitrack: { kind: 2, tracks: audioTracks } }),
].map((body) => [body]);

const TAG_HEADER_BYTES = 11;
/** Size of the start of a body that holds its headers. */
const BODY_HEAD_BYTES = 24;

/** An FLV file as its header, and for each tag the header, the first bytes of the body, the rest, and the back pointer. */
export function flvParts(file: Uint8Array): Parts {
  const parts = [file.subarray(0, 9), file.subarray(9, 13)];
  for (let at = 13; at < file.length; ) {
    const body = at + TAG_HEADER_BYTES;
    const size = Buffer.from(file.buffer, file.byteOffset, file.length).readUIntBE(at + 1, 3);
    const head = body + Math.min(size, BODY_HEAD_BYTES);
    parts.push(file.subarray(at, body), file.subarray(body, head));
    if (head < body + size) parts.push(file.subarray(head, body + size));
    parts.push(file.subarray(body + size, body + size + 4));
    at = body + size + 4;
  }
  return parts;
}

/**
 * Damaged H.264, AAC and FLV against the media decoders: nothing but WireError leaves them, nothing grows, and what they
 * give back is possible. `FUZZ_SECONDS=60 npm test -- test/fuzz/media` looks longer.
 */
import { SliceList } from '../../src/bytes/slices.js';
import { WireError } from '../../src/bytes/wire-error.js';
import { parseAudioSpecificConfig } from '../../src/media/aac/audio-specific-config.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { TagParser } from '../../src/media/flv/tag-parser.js';
import { parseAvcc } from '../../src/media/h264/avcc.js';
import { splitAnnexB } from '../../src/media/h264/nal-units.js';
import { parsePps } from '../../src/media/h264/pps.js';
import { parseSps, type Sps } from '../../src/media/h264/sps.js';
import { buildAsc } from '../support/aac-writer.js';
import { hex } from '../support/bit-writer.js';
import {
  aacFrame,
  aacSequenceHeader,
  avcEndOfSequence,
  avcFrame,
  avcSequenceHeader,
  enhancedAudio,
  enhancedVideo,
  flvFile,
  legacyVideo,
  nanosecondOffset,
  videoCommandFrame,
  withCompositionTime,
} from '../support/flv-writer.js';
import { damage, fuzz, seededRandom } from '../support/fuzz.js';
import {
  accessUnitDelimiter,
  annexB,
  buildAvcc,
  buildPps,
  buildSps,
  filler,
  lengthPrefixed,
  seiRecoveryPoint,
  seiX264,
  slice,
} from '../support/h264-writer.js';
import { pieces } from '../support/pieces.js';
import { synthStream } from '../support/synth-stream.js';

const hrd = { entries: [{ bitRateValueMinus1: 9, cpbSizeValueMinus1: 9, cbr: true }] };
const SPS = [
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
const ASC = [
  buildAsc(),
  buildAsc({ sbr: 'off' }),
  buildAsc({ sbr: 'explicit', sampleRate: 24000 }),
  buildAsc({ sbr: 'backwardCompatible', ps: 'backwardCompatible' }),
  buildAsc({ channelConfiguration: 0, programConfig: { front: [true, false], lfe: 1, comment: 'x' } }),
  hex('f94824211cc0185000200097084730b0'),
];
const NALS = [
  accessUnitDelimiter(),
  ...SPS.slice(0, 2),
  buildPps(),
  seiX264(),
  seiRecoveryPoint(),
  slice({ idr: true }),
  filler(9),
];
const FRAME = lengthPrefixed(NALS);

function expectPossible(sps: Sps): void {
  const sizes = [sps.width, sps.height, sps.codedWidth, sps.codedHeight];
  const possible =
    sizes.every((size) => Number.isInteger(size) && size > 0 && size <= 131_072) &&
    sps.width <= sps.codedWidth &&
    sps.height <= sps.codedHeight &&
    sps.spsId <= 31 &&
    sps.bitDepthLuma <= 14;
  if (!possible) throw new Error(`an impossible SPS: ${JSON.stringify(sps)}`);
}

describe('fuzzing the media decoders', () => {
  test('SPS', () => {
    expect(fuzz({ seeds: SPS, decode: (input) => expectPossible(parseSps(input)) })).toBeUndefined();
  });

  test('PPS', () => {
    expect(
      fuzz({ seeds: [buildPps(), buildPps({ ppsId: 255, spsId: 31 })], decode: (input) => void parsePps(input) }),
    ).toBeUndefined();
  });

  test('avcC', () => {
    const seeds = [buildAvcc(), buildAvcc({ sps: SPS, nalLengthSize: 2 }), buildAvcc({ sps: [], pps: [] })];
    const decode = (input: Uint8Array): void => {
      for (const sps of parseAvcc(input).sps) expectPossible(sps);
    };
    expect(fuzz({ seeds, decode })).toBeUndefined();
  });

  test('AudioSpecificConfig', () => {
    const decode = (input: Uint8Array): void => {
      const config = parseAudioSpecificConfig(input);
      const possible =
        config.sampleRate > 0 && config.channels >= 0 && config.channels <= 200 && config.audioObjectType < 96;
      if (!possible) throw new Error(`an impossible config: ${JSON.stringify(config)}`);
    };
    expect(fuzz({ seeds: ASC, decode })).toBeUndefined();
  });

  test('Annex B', () => {
    const decode = (input: Uint8Array): void => {
      let bytes = 0;
      for (const nal of splitAnnexB(input)) bytes += nal.length;
      if (bytes > input.length) throw new Error('more bytes came out than went in');
    };
    expect(fuzz({ seeds: [annexB(NALS), annexB([buildSps()])], rounds: 5000, decode })).toBeUndefined();
  });

  test('video bodies: no exception at all, and no more payload than was there', () => {
    const tracks = [
      { trackId: 0, body: withCompositionTime(1, FRAME) },
      { trackId: 1, fourCc: 'av01', body: hex('aabb') },
    ];
    const seeds = [
      avcSequenceHeader(buildAvcc({ sps: SPS })),
      avcFrame(FRAME, { key: true, cts: -3 }),
      avcFrame(lengthPrefixed([slice()])),
      avcEndOfSequence(),
      videoCommandFrame(),
      legacyVideo(1, 2, new Uint8Array(20)),
      enhancedVideo('avc1', 'sequenceStart', buildAvcc()),
      enhancedVideo('avc1', 'codedFrames', FRAME, { key: true, modEx: [nanosecondOffset(5)] }),
      enhancedVideo('avc1', 'codedFrames', undefined, { multitrack: { kind: 1, tracks } }),
      enhancedVideo('', 'codedFrames', undefined, { multitrack: { kind: 2, tracks } }),
      enhancedVideo('avc1', 'sequenceStart', undefined, {
        multitrack: { kind: 0, tracks: [{ trackId: 3, body: buildAvcc() }] },
      }),
    ];
    const parser = new TagParser();
    const random = seededRandom(7);
    const decode = (input: Uint8Array): void => {
      const list = pieces(input, 1 + Math.floor(random() * 40));
      const count = withoutWireError(() => parser.parseVideo(list, 0));
      let bytes = 0;
      for (let i = 0; i < count; i++) bytes += parser.videoTrack(i).payloadBytes;
      if (count < 1 || count > 16 || bytes > input.length)
        throw new Error(`${count} tracks with ${bytes} bytes of ${input.length}`);
    };
    expect(fuzz({ seeds, decode })).toBeUndefined();
  });

  test('audio bodies: no exception at all', () => {
    const tracks = [
      { trackId: 0, body: buildAsc() },
      { trackId: 1, fourCc: 'Opus', body: hex('aabb') },
    ];
    const seeds = [
      ...ASC.map((asc) => aacSequenceHeader(asc)),
      aacFrame(new Uint8Array(9)),
      enhancedAudio('mp4a', 'sequenceStart', buildAsc()),
      enhancedAudio('Opus', 'codedFrames', hex('aabbcc'), { modEx: [nanosecondOffset(5)] }),
      enhancedAudio('', 'sequenceStart', undefined, { multitrack: { kind: 2, tracks } }),
    ];
    const parser = new TagParser();
    const decode = (input: Uint8Array): void => {
      const count = withoutWireError(() => parser.parseAudio(SliceList.of(input), 0));
      if (count < 1 || count > 16) throw new Error(`${count} tracks`);
    };
    expect(fuzz({ seeds, decode })).toBeUndefined();
  });

  test('FLV files, in pieces', () => {
    const seeds = [flvFile(synthStream({ durationMs: 100, videoKbps: 100 })), flvFile([])];
    const decode = (input: Uint8Array): void => {
      let bytes = 0;
      const reader = new FlvFileReader({
        tag: (_kind, _time, payload) => {
          bytes += payload.length;
        },
      });
      for (let at = 0; at < input.length; at += 61) reader.push(input.subarray(at, at + 61));
      reader.end();
      if (bytes > input.length) throw new Error('more payload than the file has');
    };
    expect(fuzz({ seeds, rounds: 3000, decode })).toBeUndefined();
  });
});

/** The tag parsers turn every fault into data: from them not even WireError may come. */
function withoutWireError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof WireError) throw new Error(`WireError ${error.code} left a tag parser`);
    throw error;
  }
}

describe('the fuzzer itself', () => {
  test('finds a decoder that reads past the end', () => {
    const canary = (input: Uint8Array): void => {
      const size = ((input[6] ?? 0) << 8) | (input[7] ?? 0);
      // The planted fault: the length is believed.
      if (input[0] === 1 && 8 + size > input.length + 200) throw new RangeError('offset is out of bounds');
    };
    const finding = fuzz({ seeds: [buildAvcc()], decode: canary });
    expect(finding?.error).toBeInstanceOf(RangeError);
    expect(() => canary(hex(finding?.input ?? ''))).toThrow(RangeError);
  });

  test('finds a decoder that gives impossible results', () => {
    const canary = (input: Uint8Array): void => {
      const sps = parseSps(input);
      if (sps.levelIdc > 200) throw new Error('planted');
    };
    expect(fuzz({ seeds: SPS, decode: canary })?.error).toMatchObject({ message: 'planted' });
  });

  test('is the same from the same seed', () => {
    const runs = [1, 2].map(() =>
      Buffer.from(damage(seededRandom(5), SPS[0] as Uint8Array, SPS[1] as Uint8Array)).toString('hex'),
    );
    expect(runs[0]).toBe(runs[1]);
  });
});

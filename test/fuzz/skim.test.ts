/**
 * A message that was skimmed while it arrived parses exactly as the whole one, whatever it holds and wherever it was cut:
 * the one promise that lets all connections share a read buffer. Each buffer is overwritten as soon as it was let go.
 */
import { isDeepStrictEqual } from 'node:util';
import { SkimProgress } from '../../src/bytes/skim-progress.js';
import { SliceList } from '../../src/bytes/slices.js';
import { TagParser } from '../../src/media/flv/tag-parser.js';
import { ChunkDecoder } from '../../src/rtmp/chunk-decoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunk-encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import type { MessageSink, RtmpMessage } from '../../src/rtmp/message.js';
import {
  avcFrame,
  avcSequenceHeader,
  enhancedVideo,
  legacyVideo,
  nanosecondOffset,
  withCompositionTime,
} from '../support/flv-writer.js';
import { fuzz, type Random, seededRandom } from '../support/fuzz.js';
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
} from '../support/h264-writer.js';

const SPS = [
  buildSps(),
  buildSps({ width: 854, height: 480, profileIdc: 66 }),
  buildSps({ height: 576, frameMbsOnly: false }),
];
const PPS = buildPps();
const manySlices = Array.from({ length: 40 }, (_, i) => slice({ firstMb: i, size: 20 + 37 * (i % 9) }));

const nalUnitsOf: Uint8Array[][] = [
  [slice({ idr: true, size: 3000 })],
  [slice({ size: 9000 })],
  [accessUnitDelimiter(), ...SPS, PPS, seiX264(), slice({ idr: true, size: 2500 }), filler(900)],
  [seiRecoveryPoint(), slice({ size: 700 })],
  [sei(5, new Uint8Array(5000).fill(7)), slice({ idr: true, size: 400 })],
  manySlices,
  // A slice header as long as they come: its field flag stands behind sixteen bits of frame number.
  [
    buildSps({ height: 576, frameMbsOnly: false, log2MaxFrameNum: 16 }),
    PPS,
    slice({ idr: true, firstMb: 100_000, log2MaxFrameNum: 16, frameNum: 65_535, fieldPic: true, size: 600 }),
  ],
  [new Uint8Array(0), new Uint8Array(0), slice({ size: 100 })],
];

const twoTracks = (body: Uint8Array) => [0, 1].map((trackId) => ({ trackId, body: withCompositionTime(0, body) }));

const frames = (nalLengthSize: number): Uint8Array[] =>
  nalUnitsOf.flatMap((units) => {
    // A length of one or two bytes holds short units only.
    const fitting = nalLengthSize === 4 ? units : units.map((unit) => unit.subarray(0, 255));
    const body = lengthPrefixed(fitting, nalLengthSize);
    return [
      avcFrame(body, { key: true }),
      avcFrame(body, { key: false }),
      enhancedVideo('avc1', 'codedFrames', body, { key: true, cts: 40 }),
      enhancedVideo('avc1', 'codedFramesX', body),
      enhancedVideo('avc1', 'codedFramesX', body, { key: true, modEx: [nanosecondOffset(4)] }),
      enhancedVideo('avc1', 'codedFrames', undefined, { multitrack: { kind: 1, tracks: twoTracks(body) } }),
      enhancedVideo('hvc1', 'codedFrames', body, { key: true }),
      enhancedVideo('av01', 'codedFramesX', body),
      legacyVideo(1, 12, Uint8Array.of(1, 0, 0, 0), body),
      legacyVideo(2, 4, body),
    ];
  });

const config = (nalLengthSize: number): Uint8Array =>
  avcSequenceHeader(buildAvcc({ nalLengthSize, sps: [SPS[0] as Uint8Array], pps: [PPS] }));

/** What `parseVideo` says of the message, in a connection that has seen a header and a frame. */
function told(parser: TagParser, payload: SliceList): unknown[] {
  const tracks = parser.parseVideo(payload, 40);
  return Array.from({ length: tracks }, (_, i) => structuredClone(parser.videoTrack(i)));
}

/** Nothing can be told of it at a glance: its first piece is a single byte. */
const inPieces = (message: Uint8Array) => SliceList.of(message.subarray(0, 1), message.subarray(1));

/** By its first bytes, as many of them as a read happens to bring; as a whole where those do not tell enough. */
function glanced(parser: TagParser, message: Uint8Array, random: Random): unknown[] {
  const seen = Math.min(message.length, Math.floor(random() * 40));
  const before = structuredClone(parser.video);
  if (parser.glanceVideo(message.subarray(0, seen), 0, seen, message.length, 40))
    return [structuredClone(parser.video)];
  if (!isDeepStrictEqual(structuredClone(parser.video), before)) throw new Error('a glance changed the packet');
  return told(parser, inPieces(message));
}

/** The message as it arrives in reads of random sizes, each into the same buffer. */
function skimmed(parser: TagParser, message: Uint8Array, random: Random): SliceList {
  const shared = new Uint8Array(message.length + 8);
  const list = new SliceList();
  const progress = new SkimProgress();
  for (let at = 0; at < message.length; ) {
    const size = Math.min(message.length - at, 1 + Math.floor(random() * (random() < 0.3 ? 12 : 3000)));
    shared.fill(0xa5);
    shared.set(message.subarray(at, at + size), 4);
    const pieces = list.count;
    list.push(shared, 4, 4 + size);
    at += size;
    if (at < message.length && !parser.skimVideo(list, progress)) {
      const copy = list.copy(at - size, at);
      list.truncate(pieces);
      list.push(copy, 0, size);
    }
  }
  return list;
}

/** The message read where `nextWanted` says, in reads of random sizes; what lies between is left out. */
function wantedOnly(parser: TagParser, message: Uint8Array, random: Random): SliceList {
  const list = new SliceList();
  const progress = new SkimProgress();
  while (list.length < message.length) {
    const size = Math.min(message.length - list.length, 1 + Math.floor(random() * (random() < 0.3 ? 12 : 1500)));
    const part = message.slice(list.length, list.length + size);
    list.push(part, 0, size);
    const next = Math.min(parser.nextWanted(list, progress), message.length);
    if (next > list.length) list.pushHole(next - list.length);
  }
  return list;
}

describe.each([4, 2, 1])('frames with length fields of %i', (nalLengthSize) => {
  test('parse the same skimmed and whole', () => {
    let round = 0;
    const finding = fuzz({
      seeds: frames(nalLengthSize),
      rounds: 3000,
      decode: (message) => {
        const random = seededRandom(++round);
        const whole = new TagParser();
        const looking = new TagParser();
        for (const parser of [whole, looking]) parser.parseVideo(SliceList.of(config(nalLengthSize)), 0);
        // Inter frames are looked at less closely after the first eight.
        const framesBefore = random() < 0.5 ? 9 : Math.floor(random() * 9);
        for (let i = 0; i < framesBefore; i++) {
          for (const parser of [whole, looking])
            parser.parseVideo(SliceList.of(avcFrame(lengthPrefixed([slice()]))), 0);
        }
        const expected = told(whole, inPieces(message));
        const way = Math.floor(random() * 3);
        const read = way === 0 ? skimmed : wantedOnly;
        const actual = way === 2 ? glanced(looking, message, random) : told(looking, read(looking, message, random));
        if (!isDeepStrictEqual(actual, expected)) {
          throw new Error(`${JSON.stringify(actual)}\nin place of\n${JSON.stringify(expected)}`);
        }
      },
    });
    expect(finding).toBeUndefined();
  });
});

test('behind the first frames after a header, a frame is told at a glance', () => {
  const parser = new TagParser();
  parser.parseVideo(SliceList.of(config(4)), 0);
  const message = avcFrame(lengthPrefixed([slice({ size: 9000 })]));
  const glances = Array.from({ length: 9 }, () => {
    const atOnce = parser.glanceVideo(message, 0, 16, message.length, 40);
    if (!atOnce) parser.parseVideo(inPieces(message), 40);
    return atOnce;
  });
  // The first eight after a header are looked at as a whole.
  expect(glances).toEqual([...Array<boolean>(8).fill(false), true]);
  expect(parser.video).toMatchObject({ type: 'coded', nalTypes: 2, payloadBytes: message.length - 5 });
});

describe('what is no plain inter frame is never told at a glance', () => {
  const plain = lengthPrefixed([slice({ size: 60 })]);
  const fields = buildAvcc({ sps: [SPS[2] as Uint8Array], pps: [PPS] });
  const oneByteLengths = buildAvcc({ nalLengthSize: 1, sps: [SPS[0] as Uint8Array], pps: [PPS] });
  test.each<[string, Uint8Array, Uint8Array?]>([
    ['an IDR slice', avcFrame(lengthPrefixed([slice({ idr: true, size: 60 })]))],
    ['a key frame', avcFrame(plain, { key: true })],
    ['something in front of the slice', avcFrame(lengthPrefixed([accessUnitDelimiter(), slice()]))],
    ['a unit that ends one byte behind the message', avcFrame(plain.subarray(0, -1))],
    ['a stream that may code fields', avcFrame(plain), avcSequenceHeader(fields)],
    [
      'a unit of no bytes before one of a single byte',
      avcFrame(Uint8Array.of(0, 1, 0x41)),
      avcSequenceHeader(oneByteLengths),
    ],
    ['another codec', legacyVideo(2, 4, plain)],
    ['an enhanced header', enhancedVideo('avc1', 'codedFramesX', plain)],
  ])('%s', (_name, message, header = config(4)) => {
    const parser = new TagParser();
    parser.parseVideo(SliceList.of(header), 0);
    for (let i = 0; i < 9; i++) parser.parseVideo(inPieces(avcFrame(plain)), 0);
    expect(parser.glanceVideo(message, 0, message.length, message.length, 40)).toBe(false);
  });
});

test('of a long frame next to nothing is kept', () => {
  const parser = new TagParser();
  parser.parseVideo(SliceList.of(config(4)), 0);
  const message = avcFrame(lengthPrefixed([seiRecoveryPoint(), slice({ size: 200_000 })]), { key: true });
  const list = new SliceList();
  const progress = new SkimProgress();
  for (let at = 0; at < message.length - 1; at += 4096) {
    list.push(message, at, Math.min(at + 4096, message.length - 1));
    expect(parser.skimVideo(list, progress)).toBe(true);
    expect(list.buffers).not.toContain(message);
  }
  expect(list.length).toBe(message.length - 1);
  expect(progress.kept).toBeLessThan(200);
});

class Telling implements MessageSink {
  readonly parser = new TagParser();
  readonly told: unknown[] = [];
  readonly #skims: boolean;

  constructor(skims: boolean) {
    this.#skims = skims;
    this.parser.parseVideo(SliceList.of(config(4)), 0);
  }

  onMessage({ typeId, timestampMs, messageNumber, byteOffset, payload }: RtmpMessage): void {
    const said =
      typeId === 9 ? told(this.parser, payload) : Buffer.from(payload.copy(0, payload.length)).toString('hex');
    this.told.push([typeId, timestampMs, messageNumber, byteOffset, payload.length, said]);
  }

  skim(_messageStreamId: number, payload: SliceList, progress: SkimProgress): boolean {
    return this.#skims && this.parser.skimVideo(payload, progress);
  }
}

/** Frames and sound of two interleaved chunk streams, in chunks of an odd size. */
function chunks(chunkSize: number): Uint8Array {
  const encoder = new ChunkEncoder({ chunkSize });
  // Set Chunk Size (RTMP 1.0 5.4.1).
  const told = Uint8Array.of(0, 0, chunkSize >> 8, chunkSize & 255);
  const first = encoder.encode(2, 1, 0, 0, told);
  const parts = frames(4)
    .filter((_, i) => i % 4 === 0)
    .flatMap((frame, i) => [
      encoder.encode(6, 9, 1, 40 * i, frame),
      encoder.encode(4, 8, 1, 40 * i, new Uint8Array(30 + 11 * i).fill(i)),
    ]);
  return Buffer.concat([first, ...parts]);
}

test('a shared buffer gives the same messages as buffers that are kept', () => {
  let round = 0;
  const finding = fuzz({
    seeds: [chunks(128), chunks(4096), chunks(61_000)],
    rounds: 150,
    decode: (bytes) => {
      const random = seededRandom(++round);
      const kept = new Telling(false);
      const keeping = new ChunkDecoder(kept, DEFAULT_RTMP_LIMITS);
      const sharedTold = new Telling(true);
      const sharing = new ChunkDecoder(sharedTold, DEFAULT_RTMP_LIMITS);
      const shared = new Uint8Array(16_384);
      let faults: [unknown, unknown] = [undefined, undefined];
      for (let at = 0; at < bytes.length && faults[0] === undefined; ) {
        const size = Math.min(bytes.length - at, 1 + Math.floor(random() * 16_384));
        const part = bytes.slice(at, at + size);
        at += size;
        shared.fill(0xa5);
        shared.set(part);
        faults = [
          faultOf(() => keeping.push(part)),
          faultOf(() => {
            sharing.read(shared, 0, size);
            sharing.vacate(shared);
          }),
        ];
      }
      if (!isDeepStrictEqual(faults[0], faults[1])) throw new Error(`${faults[1]} in place of ${faults[0]}`);
      const first = kept.told.findIndex((message, i) => !isDeepStrictEqual(message, sharedTold.told[i]));
      if (first >= 0 || kept.told.length !== sharedTold.told.length) {
        throw new Error(`message ${first}: ${JSON.stringify(sharedTold.told[first])}`);
      }
    },
  });
  expect(finding).toBeUndefined();
});

function faultOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

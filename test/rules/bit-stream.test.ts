/** Bit streams and timestamps that are no fault, or one fault and not several. */
import { describe, expect, test } from '@jest/globals';
import { concat } from '../support/bit-writer.js';
import { accessUnitDelimiter, buildPps, buildSps, lengthPrefixed, slice } from '../support/h264-writer.js';
import { seededRandom } from '../support/random.js';
import type { SynthFrame, SynthMessage, SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun, only } from './harness.js';

const FLV_HEADER = 5;
const START_CODE = Uint8Array.of(0, 0, 0, 1);

const isPicture = ({ role }: SynthFrame): boolean => role === 'keyFrame' || role === 'interFrame';

/** Other bytes in place of the NAL units of each picture. */
function pictures(body: (frame: SynthFrame, nalUnits: Uint8Array) => Uint8Array): SynthOptions {
  const edit = (frame: SynthFrame): SynthMessage[] => {
    if (!isPicture(frame)) return [frame];
    const header = frame.payload.subarray(0, FLV_HEADER);
    return [{ ...frame, payload: concat(header, body(frame, frame.payload.subarray(FLV_HEADER))) }];
  };
  return { durationMs: 3000, edit };
}

/** Live and in a file: both must be the same. */
function codes(options: SynthOptions): number[] {
  const live = new LiveRun().connect().goLive().send(options).disconnect().end();
  const inFile = codesOf(options);
  expect(live.codes).toEqual(inFile);
  return inFile;
}

describe('NAL units', () => {
  test.each([24, 28, 31])('of type %i are for applications, and no damage', (type) => {
    expect(codes({ durationMs: 3000, keyFrameNals: [Uint8Array.of(type, 0x80)] })).toEqual([]);
  });

  test('of a reserved type are damaged', () => {
    expect(codes({ durationMs: 3000, keyFrameNals: [Uint8Array.of(22, 0x80)] })).toEqual([6221]);
  });

  test('behind start codes in place of lengths are one finding', () => {
    expect(codes(pictures((_frame, units) => concat(START_CODE, units.subarray(4))))).toEqual([6221]);
  });

  test('behind start codes within another are one finding', () => {
    const glued = pictures((_frame, units) => {
      const unit = concat(accessUnitDelimiter(), START_CODE, units.subarray(4));
      const size = new Uint8Array(4);
      new DataView(size.buffer).setUint32(0, unit.length);
      return concat(size, unit);
    });
    expect(codes(glued)).toEqual([6221]);
  });

  test('are counted in a picture with a slice for each macroblock of 1080p, and are no damage', () => {
    const slices = Array.from({ length: 8160 }, (_, firstMb) => slice({ idr: true, firstMb, size: 12 }));
    const run = judgeStream({
      ...pictures((frame, units) => (frame.index === 0 ? lengthPrefixed(slices) : units)),
      width: 1920,
      height: 1080,
      levelIdc: 40,
    });
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6229]);
    expect(only(run, 6229).worst).toBe(8160);
  });
});

describe('6220 REFERENCE_LOST', () => {
  /** Pictures after each IDR in turn: frame_num, and whether others refer to it. */
  function numbered(order: readonly (readonly [frameNum: number, isReference: boolean])[]): SynthOptions {
    let place = 0;
    return pictures((frame, units) => {
      if (frame.role === 'keyFrame') {
        place = 0;
        return units;
      }
      const [frameNum, isReference] = order[Math.min(place++, order.length - 1)] ?? [0, true];
      const header = slice({ frameNum, sliceType: isReference ? 'P' : 'B', size: 12 }).subarray(0, 4);
      return concat(units.subarray(0, 4), header, units.subarray(8));
    });
  }

  test('does not count pictures that no other refers to, if the encoder numbers them too', () => {
    expect(
      codes(
        numbered([
          [1, true],
          [2, false],
          [3, false],
          [4, true],
          [5, false],
          [6, true],
        ]),
      ),
    ).toEqual([]);
  });

  test('finds a lost reference between pictures that no other refers to, once', () => {
    const lost = numbered([
      [1, true],
      [2, false],
      [2, false],
      [2, true],
      [4, false],
      [4, false],
      [4, true],
    ]);
    const run = judgeStream({ ...lost, durationMs: 1500 });
    expect(only(run, 6220)).toMatchObject({ worst: 1, count: 1 });
    expect(codesOf(lost)).toEqual([6220]);
  });
});

test('6225 says how many frames came before the header', () => {
  let header: SynthMessage | undefined;
  const late: SynthOptions = {
    durationMs: 6000,
    edit: (frame) => {
      if (frame.kind === 'video' && frame.role === 'config') {
        header = frame;
        return [];
      }
      if (header === undefined || !isPicture(frame) || frame.index !== 119) return [frame];
      return [{ ...header, timestampMs: frame.timestampMs }, frame];
    },
  };
  expect(only(judgeStream(late), 6225).worst).toBe(119);
});

describe('6403 SETTINGS_CHANGED', () => {
  test('compares the parameter sets of pictures, not the level of a header alone', () => {
    const keyFrameNals = [buildSps({ levelIdc: 31 }), buildPps()];
    const lies: SynthOptions = {
      durationMs: 8000,
      levelIdc: 40,
      keyFrameNals,
      changes: [{ atMs: 4000, levelIdc: 31 }],
    };
    expect(codes(lies)).not.toContain(6403);
  });
});

describe('timestamps', () => {
  /** Every second picture is decoded with the one before, and shown when it was to be. */
  const decodedInPairs = (frame: SynthFrame): SynthMessage[] => {
    if (!isPicture(frame) || frame.index % 2 === 0) return [frame];
    const timestampMs = Math.round(((frame.index - 1) * 1000) / 30);
    const payload = frame.payload.slice();
    payload[4] = (payload[4] ?? 0) + frame.timestampMs - timestampMs;
    return [{ ...frame, timestampMs, payload }];
  };

  test('of decoding may be equal and uneven where those of presentation are even', () => {
    expect(codes({ durationMs: 25_000, edit: decodedInPairs })).toEqual([]);
    expect(codes({ durationMs: 25_000, bFrames: 2, profileIdc: 77, edit: decodedInPairs })).toEqual([]);
  });

  test('of presentation that are equal are a fault, however pictures are decoded', () => {
    const shownInPairs = (frame: SynthFrame): SynthMessage[] => {
      if (!isPicture(frame) || frame.index % 2 === 1) return [frame];
      const payload = frame.payload.slice();
      payload[4] = (payload[4] ?? 0) + Math.round(((frame.index + 1) * 1000) / 30) - frame.timestampMs;
      return [{ ...frame, payload }];
    };
    expect(codes({ durationMs: 25_000, edit: shownInPairs })).toContain(6411);
  });
});

describe('AAC frames', () => {
  const frames = (payloadOf: (size: number) => Uint8Array): SynthOptions => ({
    durationMs: 6000,
    edit: (frame) =>
      frame.role === 'audioFrame'
        ? [{ ...frame, payload: concat(frame.payload.subarray(0, 2), payloadOf(frame.payload.length - 2)) }]
        : [frame],
  });
  const noise = (): SynthOptions => {
    const random = seededRandom(11);
    return frames((size) => Uint8Array.from({ length: size }, () => Math.floor(256 * random())));
  };

  test('that are random are named as what they are, alike in a file and live', () => {
    const offline = judgeStream(noise());
    expect(offline.records.map(({ error_code }) => error_code)).toEqual([6301]);
    expect(only(offline, 6301).observed).toMatch(/^encrypted or damaged \(\d+ of 48 frames are no AAC\)$/);
    const live = new LiveRun().connect().goLive().send(noise()).disconnect().end();
    expect(live.codes).toEqual([6301]);
  });

  test('that all have one fault are no ciphertext', () => {
    // A single channel element in each, where the configuration says a pair.
    expect(codes(frames((size) => new Uint8Array(size)))).toContain(6307);
  });
});

/** Sparse reading gives the same verdicts as reading the whole file. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SliceList } from '../../../../src/bytes/slices.js';
import { FileJudge } from '../../../../src/check/file-judge.js';
import { readPart, readWanted, type SparseConsumer } from '../../../../src/cli/validate/read-wanted.js';
import { flvFileHeader, flvTag } from '../../../../src/media/flv/file-writer.js';
import { concat } from '../../../support/bit-writer.js';
import { avcFrame, avcSequenceHeader, flvFile, onMetaData } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import {
  accessUnitDelimiter,
  buildAvcc,
  buildPps,
  buildSps,
  lengthPrefixed,
  seiX264,
  slice,
} from '../../../support/h264-writer.js';
import { type SynthFrame, type SynthMessage, synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-read-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'file.flv');

interface Read {
  readonly judged: unknown;
  readonly pushedBytes: number;
  readonly reads: number;
}

function judged(judge: FileJudge): unknown {
  const truncated = judge.end();
  const { bytes, mediaMessages, stream, rules, errors } = judge;
  return { truncated, bytes, mediaMessages, stream, rules, errors };
}

/** Smaller than the gap between two tag bodies, so that no tag is parsed from its prefix. */
const PIECE_BYTES = 14;

function whole(file: Uint8Array): unknown {
  const judge = new FileJudge();
  for (let at = 0; at < file.length; at += PIECE_BYTES) judge.push(file, at, Math.min(file.length, at + PIECE_BYTES));
  return judged(judge);
}

function wanted(file: Uint8Array): Read {
  writeFileSync(path, file);
  const judge = new FileJudge({ fileBytes: file.length });
  let pushedBytes = 0;
  let reads = 0;
  const looker: SparseConsumer = {
    push: (bytes, from, to) => {
      pushedBytes += to - from;
      reads++;
      judge.push(bytes, from, to);
    },
    get unwanted() {
      return judge.unwanted;
    },
    skip: (count) => judge.skip(count),
    get holdsBytes() {
      return judge.holdsBytes;
    },
    get mediaMessages() {
      return judge.mediaMessages;
    },
  };
  readWanted(path, looker, () => undefined);
  return { judged: judged(judge), pushedBytes, reads };
}

const stream = flvFile(
  synthStream({ durationMs: 20_000, videoKbps: 8000, changes: [{ atMs: 9000, width: 640, height: 480 }] }),
);

test('reads a tenth of a stream of large frames for the same verdict', () => {
  const read = wanted(stream);
  expect(read.judged).toEqual(whole(stream));
  expect(read.pushedBytes).toBeLessThan(stream.length / 10);
});

test.each([1, 5000, 200_000])('detects truncation %i bytes before the end in both modes', (missing) => {
  const cut = stream.subarray(0, stream.length - missing);
  expect(wanted(cut).judged).toEqual(whole(cut));
});

/** All kinds of frames: many slices, in-band parameter sets and SEI, wrong length fields, NAL units beyond the end. */
function oddFrames(): Uint8Array {
  const sps = [buildSps({ width: 1280, height: 720 }), buildSps({ width: 854, height: 480 })];
  const config = avcSequenceHeader(buildAvcc({ sps: [sps[0] as Uint8Array], pps: [buildPps()] }));
  const slices = (size: number) => Array.from({ length: 12 }, (_, i) => slice({ firstMb: i, size }));
  const large = (at: number) => [
    lengthPrefixed([slice({ size: 30_000 + at })]),
    lengthPrefixed([accessUnitDelimiter(), slice({ size: 90_000 })]),
    lengthPrefixed(slices(9000 + at)),
    lengthPrefixed([sps[at % 2] as Uint8Array, buildPps(), seiX264(), slice({ idr: true, size: 70_000 })]),
    concat(lengthPrefixed([slice({ size: 40_000 })]), Uint8Array.of(0, 0, 255, 255, 0x41)),
    concat(Uint8Array.of(0, 9, 0, 0), new Uint8Array(20_000).fill(0x65)),
    new Uint8Array(30_000),
  ];
  const tags = [flvTag('video', 0, SliceList.of(config)).flat()];
  let timeMs = 0;
  for (let round = 0; round < 40; round++) {
    const claims = onMetaData({ width: 1280, height: 720 + round, encoder: 'Lavf60.3.100' }, false);
    tags.push(flvTag('data', timeMs, SliceList.of(claims)));
    for (const [at, body] of large(round).entries()) {
      timeMs += 33;
      const frame = avcFrame(body, { key: (round + at) % 7 === 0 });
      tags.push(
        flvTag('video', timeMs, SliceList.of(frame)),
        flvTag('audio', timeMs, SliceList.of(new Uint8Array(400))),
      );
    }
  }
  // A tag of unknown type is skipped as well.
  const unknown = concat(...flvTag('video', timeMs, SliceList.of(new Uint8Array(50_000))));
  unknown[0] = 15;
  return concat(flvFileHeader(true, true), ...tags.flat(), unknown, ...(tags[1] ?? []));
}

test('gives the same facts and records for all kinds of frames', () => {
  const file = oddFrames();
  const read = wanted(file);
  expect(read.judged).toEqual(whole(file));
  expect(read.pushedBytes).toBeLessThan(file.length / 2);
});

test('judges a message longer than all buffers and the small ones around it correctly', () => {
  const config = avcSequenceHeader(buildAvcc({ sps: [buildSps()], pps: [buildPps()] }));
  const sound = (at: number) =>
    flvTag('audio', at, SliceList.of(concat(Uint8Array.of(0x2f), new Uint8Array(3000).fill(at))));
  const file = concat(
    flvFileHeader(true, true),
    ...flvTag('video', 0, SliceList.of(config)),
    ...Array.from({ length: 300 }, (_, i) => sound(i)).flat(),
    // Audio is never skipped.
    ...flvTag('audio', 300, SliceList.of(concat(Uint8Array.of(0x2f), new Uint8Array(900_000)))),
    ...Array.from({ length: 300 }, (_, i) => sound(301 + i)).flat(),
  );
  expect(wanted(file)).toMatchObject({ judged: whole(file), pushedBytes: file.length });
});

test('reads an audio-only file in few large reads', () => {
  const sound = concat(
    flvFileHeader(true, false),
    ...Array.from({ length: 4000 }, (_, i) => flvTag('audio', i * 23, SliceList.of(new Uint8Array(400)))).flat(),
  );
  expect(wanted(sound).reads).toBeLessThan(30);
});

test('reads through small frames in few large reads', () => {
  const small = flvFile(synthStream({ durationMs: 60_000, videoKbps: 1500 }));
  const read = wanted(small);
  expect(read.judged).toEqual(whole(small));
  // 1800 frames in 12 MB: 92 reads when all are large; the first ones are smaller.
  expect(read.reads).toBeLessThan(250);
});

test('decodes the same key frames, whether their bytes were skipped or not', () => {
  // A flat key frame large enough to be skipped, before any is wanted.
  const edit = (frame: SynthFrame): SynthMessage[] => {
    if (frame.kind !== 'video' || frame.role === 'config' || frame.atMs < 4000) return [frame];
    const idr = frame.role === 'keyFrame';
    const payload = avcFrame(lengthPrefixed([slice({ idr, size: idr ? 7000 + frame.index : 30_000 })]), { key: idr });
    return [{ ...frame, payload }];
  };
  const file = flvFile(
    synthStream({ width: 3840, height: 2160, levelIdc: 52, videoKbps: 9000, durationMs: 12_000, edit }),
  );
  writeFileSync(path, file);
  const decodedBy = (read: (judge: FileJudge) => void) => {
    const decoded: Uint8Array[] = [];
    const decode = (flv: Uint8Array) => {
      decoded.push(flv);
      return undefined;
    };
    const reread = (offset: number, size: number) => readPart(path, offset, size);
    const judge = new FileJudge({ fileBytes: file.length, decode, reread });
    read(judge);
    return decoded;
  };
  const decoded = decodedBy((judge) => judge.push(file));
  expect(decoded.length).toBeGreaterThan(0);
  expect(decodedBy((judge) => readWanted(path, judge, () => undefined))).toEqual(decoded);
});

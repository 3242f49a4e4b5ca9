/**
 * A damaged FLV gets the same report whether it is read sparsely (`readWanted`, with its prefixes and gaps) or
 * pushed in pieces too small to parse a tag from its prefix.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WireError } from '../../../src/bytes/wire-error.js';
import { FileJudge } from '../../../src/check/file-judge.js';
import type { FileResult } from '../../../src/check/file-report.js';
import { readWanted } from '../../../src/cli/validate/read-wanted.js';
import { createJudge, type Finding, validateFile } from '../../../src/library/browser.js';
import {
  avcFrame,
  avcSequenceHeader,
  enhancedVideo,
  flvFile,
  nanosecondOffset,
  onMetaData,
  withCompositionTime,
} from '../../support/flv-writer.js';
import type { FuzzTarget, Parts } from '../../support/fuzz.js';
import { buildAvcc, buildSps, filler, lengthPrefixed, seiRecoveryPoint, slice } from '../../support/h264-writer.js';
import { type SynthMessage, synthStream } from '../../support/synth-stream.js';
import { flvParts } from './media-corpus.js';

/** Smaller than the back pointer (4 bytes) and the tag header (11) between two bodies. */
const SMALL_PIECE_BYTES = 14;

/** The verdict on a whole file, or the error that ended it. */
function verdict(judge: FileJudge, feed: () => void): string {
  let end: string;
  try {
    feed();
    end = `cut off: ${judge.end()}`;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    end = `${error.code} at ${error.offset}`;
    if (judge.mediaMessages > 0) judge.close();
  }
  const { stream, rules, errors, mediaMessages } = judge;
  return JSON.stringify({ end, mediaMessages, errors, stream, rules }, null, 1);
}

const frames = function* (frame: (i: number) => Uint8Array): Generator<SynthMessage> {
  yield { kind: 'data', timestampMs: 0, payload: onMetaData({ width: 1280, height: 720 }) };
  yield { kind: 'video', timestampMs: 0, payload: avcSequenceHeader(buildAvcc({ sps: [buildSps()] })) };
  for (let i = 0; i < 24; i++) yield { kind: 'video', timestampMs: 40 * i, payload: frame(i) };
};

const sizes = [9000, 300, 40_000, 14_000];
const nalUnits = (i: number): Uint8Array =>
  lengthPrefixed([
    ...(i % 5 === 0 ? [seiRecoveryPoint(), filler(5000)] : []),
    slice({ idr: i % 8 === 0, size: sizes[i % 4] ?? 0 }),
    ...(i % 3 === 0 ? [slice({ firstMb: 9, size: 6000 })] : []),
  ]);

const SEEDS: readonly Parts[] = [
  synthStream({ durationMs: 1000, videoKbps: 4000, keyFrameIntervalMs: 400 }),
  synthStream({ durationMs: 400, videoKbps: 12_000, audio: false }),
  frames((i) => avcFrame(nalUnits(i), { key: i % 8 === 0 })),
  frames((i) => enhancedVideo('avc1', 'codedFrames', nalUnits(i), { key: i % 8 === 0, cts: 40 })),
  frames((i) =>
    i % 2 === 0
      ? enhancedVideo('avc1', 'codedFramesX', nalUnits(i), { key: true, modEx: [nanosecondOffset(4)] })
      : enhancedVideo('avc1', 'codedFrames', undefined, {
          multitrack: {
            kind: 1,
            tracks: [0, 1].map((trackId) => ({ trackId, body: withCompositionTime(0, nalUnits(i)) })),
          },
        }),
  ),
].map((messages) => flvParts(flvFile(messages)));

export function validateTarget(): FuzzTarget {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-fuzz-validate-'));
  const path = join(folder, 'input.flv');
  return {
    seeds: SEEDS,
    rounds: 60,
    decode: (input) => {
      writeFileSync(path, input);
      const pushed = new FileJudge();
      const expected = verdict(pushed, () => {
        for (let at = 0; at < input.length; at += SMALL_PIECE_BYTES)
          pushed.push(input.slice(at, at + SMALL_PIECE_BYTES));
      });
      const whole = new FileJudge({ fileBytes: input.length });
      same(
        'whole',
        verdict(whole, () => whole.push(input)),
        expected,
      );
      const wanted = new FileJudge({ fileBytes: input.length });
      same(
        'where it is wanted',
        verdict(wanted, () => readWanted(path, wanted, () => undefined)),
        expected,
      );
    },
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/** Pieces of 1 to 257 bytes, by the last byte of the input. */
function* piecesOf(input: Uint8Array): Generator<Uint8Array> {
  const step = 1 + (input.at(-1) ?? 0);
  for (let at = 0, i = 0; at < input.length; i++) {
    const size = 1 + ((i * step) % 257);
    // A copy, which the slice of a Buffer is not.
    yield Uint8Array.from(input.subarray(at, at + size));
    at += size;
  }
}

/** The library: bytes in any pieces give the result of the file read where it is needed, and no error but its own. */
export const library: FuzzTarget = {
  seeds: SEEDS,
  rounds: 60,
  decode: async (input) => {
    const judge = createJudge({ profile: '720p30' });
    const told = new Map<string, Finding>();
    for (const piece of piecesOf(input)) {
      for (const finding of judge.write(piece)) told.set(finding.id, finding);
      // The caller uses his buffer again.
      piece.fill(0xee);
    }
    const result = judge.end();
    const read = await validateFile(new Blob([new Uint8Array(input)]), { profile: '720p30', name: '-' });
    // A file of something else may be of another container; a stream is not.
    if (result.problem?.startsWith('not FLV') !== true && input.length > 0)
      same('read where it is wanted', text(read), text(result));
    const upload = await validateFile(new Blob([new Uint8Array(input)]), { meantAs: 'upload' });
    if (upload.outcome === 'unreadable' && upload.problem === undefined) throw new Error('unreadable without a reason');
    const findings = [...told.values()].filter(({ record }) => record.cleared_stream_time_ms !== undefined);
    for (const { record } of findings)
      if (!result.errors.some((error) => error.error_code === record.error_code)) throw new Error('a record was lost');
  },
};

/** How far a damaged file was read depends on the pieces. */
const text = ({ bytes: _read, ...result }: FileResult): string => JSON.stringify(result, null, 1);

function same(way: string, actual: string, expected: string): void {
  if (actual === expected) return;
  const [ours, theirs] = [actual.split('\n'), expected.split('\n')];
  const at = ours.findIndex((line, i) => line !== theirs[i]);
  throw new Error(
    `${way}: line ${at}: ${ours.slice(at, at + 3).join(' ')} in place of ${theirs.slice(at, at + 3).join(' ')}`,
  );
}

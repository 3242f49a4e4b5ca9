/** A picture that does not change, or is black: each rule at its bound and over it, with pictures in a decoder's place. */
import { describe, expect, test } from '@jest/globals';
import type { RecordChange } from '../../src/spec/error-record.js';
import { avcFrame } from '../support/flv-writer.js';
import { lengthPrefixed, slice } from '../support/h264-writer.js';
import { type SynthFrame, type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';
import { codesOf, feed, LiveRun, newJudge, recordsOf, START_WALL_MS } from './harness.js';

const MACROBLOCKS = 80 * 45;
const FROM_MS = 4_000;
const PIXELS = 160 * 90;
const CHANGE_BITS = 0.8;

/** Pictures of `bits` for each macroblock from 4 s on, with key frames of `keyBits`. */
function dead(
  forMs: number,
  bits: number | ((atMs: number) => number),
  keyBits: (index: number) => number,
): SynthOptions {
  const edit = (frame: SynthFrame): SynthMessage[] => {
    const isDead = frame.kind === 'video' && frame.atMs >= FROM_MS && frame.atMs < FROM_MS + forMs;
    if (!isDead || frame.role === 'config') return [frame];
    const idr = frame.role === 'keyFrame';
    const interBits = typeof bits === 'number' ? bits : bits(frame.atMs);
    const size = Math.round(((idr ? keyBits(frame.index) : interBits) * MACROBLOCKS) / 8) + 4;
    return [{ ...frame, payload: avcFrame(lengthPrefixed([slice({ idr, size })]), { key: idr }) }];
  };
  return { durationMs: FROM_MS + forMs + 6_000, edit };
}

const still = (forMs: number, bits = 0.1) => dead(forMs, bits, () => 300);
const flat = (forMs: number) => dead(forMs, 0.1, () => 1);

const until = (durationMs: number, options: SynthOptions): SynthOptions => ({ ...options, durationMs });

/** A picture without detail has too low a bitrate, which is not tried here. */
const picturesOf = (changes: readonly RecordChange[]) => changes.filter(({ body }) => body.error_code >= 6811);

const flatWithChanges = (forMs: number, isChange: (atMs: number) => boolean) =>
  dead(
    forMs,
    (atMs) => (isChange(atMs) ? CHANGE_BITS : 0.1),
    () => 1,
  );

type Gray = number | undefined | ((atMs: number) => number);

/** Judges a file whose key frames are decoded to one gray each. */
function run(options: SynthOptions, gray?: Gray) {
  const judge = newJudge();
  judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
  const counter = { messages: 0, bytes: 0 };
  const changes: RecordChange[] = [];
  let decoded = 0;
  for (const message of synthStream(options)) {
    feed(judge, message, counter);
    const number = message.kind === 'video' ? judge.askPicture() : 0;
    if (number !== 0) {
      decoded++;
      const value = typeof gray === 'function' ? gray(message.timestampMs) : gray;
      judge.picture(number, value === undefined ? undefined : new Uint8Array(PIXELS).fill(value));
    }
    changes.push(...picturesOf(judge.takeChanges()));
  }
  judge.end({ wallMs: START_WALL_MS, atMs: 0 });
  changes.push(...picturesOf(judge.takeChanges()));
  const { picture } = judge.health();
  return { decoded, codes: recordsOf(changes).map(({ error_code }) => error_code), changes, picture };
}

/** Without counts. */
const told = (changes: readonly RecordChange[]) =>
  changes.filter(({ change }) => change !== 'counted').map(({ change, body }) => [body.error_code, change]);

describe('dead picture', () => {
  test.each([
    ['for 9 s', still(9_000), []],
    ['for 13 s', still(13_000), [6811]],
    ['at 0.19 bits for each macroblock', still(13_000, 0.19), [6811]],
    ['at 3 bits', still(13_000, 3), []],
    ['of slides', dead(30_000, 0.1, (index) => 200 + (index % 100)), []],
  ])('a still picture %s', (_name, options, codes) => {
    expect(run(options).codes).toEqual(codes);
  });

  test.each([
    ['black for 4 s', flat(4_000), 0, []],
    ['black for 9 s', flat(9_000), 0, [6812]],
    ['of a tenth of full brightness', flat(9_000), 25, [6812]],
    ['brighter than that', flat(9_000), 27, []],
    ['that cannot be decoded', flat(9_000), undefined, []],
  ])('a flat picture %s', (_name, options, gray, codes) => {
    expect(run(options, gray).codes).toEqual(codes);
  });

  test('a black picture is not frozen too, and clears at the first key frame that is not flat', () => {
    const { changes, decoded } = run(flat(20_000), 0);
    expect(told(changes)).toEqual([
      [6812, 'raised'],
      [6812, 'cleared'],
    ]);
    expect(decoded).toBe(10);
  });

  test('flat key frames that turn white at one of them are black up to it, and frozen from it on', () => {
    const { changes } = run(flat(24_000), (atMs) => (atMs < FROM_MS + 8_000 ? 0 : 235));
    expect(told(changes)).toEqual([
      [6812, 'raised'],
      [6812, 'cleared'],
      [6811, 'raised'],
      [6811, 'cleared'],
    ]);
    const [black, frozen] = recordsOf(changes);
    expect(black?.worst).toBeLessThanOrEqual(8_000);
    expect(frozen?.worst).toBeLessThanOrEqual(16_100);
  });

  test.each([
    ['turns black and white between two key frames', flatWithChanges(24_000, (atMs) => atMs % 1000 < 20), 0],
    ['flashes once in 4 s', flatWithChanges(24_000, (atMs) => atMs % 4000 >= 2900 && atMs % 4000 < 2960), 0],
    ['fades from white to black', flat(24_000), (atMs: number) => 255 - 9 * Math.round((atMs - FROM_MS) / 1000)],
    ['shows another color every 4 s', flat(24_000), (atMs: number) => (atMs % 8000 < 4000 ? 100 : 130)],
  ])('a flat picture that %s is neither black nor frozen', (_what, options, gray) => {
    expect(run(options, gray).codes).toEqual([]);
  });

  test('a black picture that begins to change is no longer black at once', () => {
    const firstMs = FROM_MS + 9_000;
    const { changes } = run(
      flatWithChanges(24_000, (atMs) => atMs >= firstMs && atMs % 1000 < 20),
      0,
    );
    expect(told(changes)).toEqual([
      [6812, 'raised'],
      [6812, 'cleared'],
    ]);
    expect((changes.at(-1)?.body.cleared_time_ms ?? 0) - START_WALL_MS - firstMs).toBeLessThanOrEqual(1_000);
  });

  test('a picture that stays black is decoded the less often the longer it is black', () => {
    expect(run(flat(200_000), 0).decoded).toBeLessThan(40);
  });

  test('key frames 100 ms apart are decoded once a second, at changing distances', () => {
    const options = { ...flat(9_000), keyFrameIntervalMs: 100 };
    const { codes, decoded } = run(options, (atMs) => (Math.round(atMs / 100) % 2 === 0 ? 0 : 235));
    expect(codes).toEqual([]);
    expect(decoded).toBeLessThan(12);
  });

  test('clears after two seconds of motion', () => {
    const { changes } = run(still(20_000));
    expect(told(changes)).toEqual([
      [6811, 'raised'],
      [6811, 'cleared'],
    ]);
    const clearedMs = (changes.at(-1)?.body.cleared_time_ms ?? 0) - START_WALL_MS;
    expect(clearedMs).toBeGreaterThanOrEqual(FROM_MS + 22_000 - 100);
    expect(clearedMs).toBeLessThan(FROM_MS + 24_000);
  });

  test.each([
    ['moving', still(13_000), undefined, 'moving'],
    ['still for too short a time to be called frozen', until(4_000 + 6_000, still(13_000)), undefined, undefined],
    ['frozen up to the end', until(4_000 + 13_000, still(13_000)), undefined, 'frozen'],
    ['black up to the end', until(4_000 + 9_000, flat(9_000)), 0, 'black'],
  ])('health after the end says what the last picture was: %s', (_what, options, gray, picture) => {
    expect(run(options, gray).picture).toBe(picture);
  });

  test('judges the same live as in a file, and nothing with analysis off', () => {
    const live = new LiveRun().connect().goLive().send(still(13_000)).disconnect().end();
    expect(live.codes).toEqual(codesOf(still(13_000)));
    expect(newJudge({ analysis: false }).wantsPicture).toBe(false);
  });
});

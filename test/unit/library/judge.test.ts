/** A judge of one stream: findings as they arise, pieces of any size, its errors and its bounds in memory. */

import {
  createJudge,
  type Finding,
  type Judge,
  type JudgeOptions,
  validateFile,
} from '../../../src/library/browser.js';
import { avcFrame, avcSequenceHeader, flvFile } from '../../support/flv-writer.js';
import { buildAvcc, buildSps, filler, lengthPrefixed } from '../../support/h264-writer.js';
import { inFull } from '../../support/in-full.js';
import { synthStream } from '../../support/synth-stream.js';

const LONG_INTERVAL = [...synthStream({ durationMs: 12_000, keyFrameIntervalMs: 5_000 })];
const FILE = flvFile(LONG_INTERVAL);

function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

function judged(size: number, options: JudgeOptions = {}) {
  const judge = createJudge(options);
  const findings = pieces(FILE, size).flatMap((piece) => judge.write(piece));
  return { findings, result: judge.end() };
}

const brief = ({ change, record }: Finding) => `${change} ${record.error_code} at ${record.stream_time_ms}`;

test('findings come with the bytes that show them, and the result is the same for any pieces', async () => {
  const whole = judged(FILE.length);
  expect(whole.result).toMatchObject({ outcome: 'error', container: 'flv', bytes: FILE.length, file: '-' });
  expect(judged(7).result).toEqual(whole.result);
  expect(judged(1000).result).toEqual(whole.result);
  expect(judged(1000).findings.map(brief)[0]).toBe('raised 6208 at 4067');
  const read = await validateFile(new Blob([FILE]), { name: '-' });
  expect(read).toEqual(whole.result);
});

test('tags are judged as the bytes that hold them, but without places in a file', () => {
  const judge = createJudge();
  const findings = LONG_INTERVAL.flatMap(({ kind, timestampMs, payload }) => judge.tag({ kind, timestampMs, payload }));
  const { result, findings: ofBytes } = judged(1000);
  expect(findings.map(brief)).toEqual(ofBytes.map(brief));
  const { errors, rules, stream } = judge.end();
  const { first } = errors[0]?.evidence ?? {};
  expect(first?.byteOffset).toBe(0);
  expect({ rules, stream }).toEqual({ rules: result.rules, stream: result.stream });
});

test('a reader gets each record from the first one on, also one that begins late, and ends with the stream', async () => {
  const judge = createJudge();
  const early = collected(judge);
  const [first = FILE, second = FILE] = pieces(FILE, Math.ceil(FILE.length * 0.8));
  judge.write(first);
  const late = collected(judge);
  await Promise.resolve();
  judge.write(second);
  const { errors } = judge.end();
  expect(errors.map((record) => record.error_code)).toEqual([6208]);
  for (const findings of [await early, await late]) {
    expect(findings.map(brief)[0]).toBe('raised 6208 at 4067');
    expect(findings.at(-1)?.record).toEqual(errors[0]);
  }
});

async function collected(judge: Judge): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of judge) findings.push(finding);
  return findings;
}

test('a live stream is judged by its arrival too: standing still, and sent too fast', () => {
  const slow = createJudge({ mode: 'live' });
  const fast = createJudge({ mode: 'live' });
  for (const { kind, timestampMs, payload } of synthStream({ durationMs: 90_000 })) {
    if (timestampMs < 4_000) slow.tag({ kind, timestampMs, payload }, timestampMs);
    fast.tag({ kind, timestampMs, payload }, timestampMs / 3);
  }
  const findings = Array.from({ length: 9 }, (_, i) => slow.tick(4_000 + 1_000 * i)).flat();
  expect(findings.map(({ record }) => record.error_code)).toContain(6406);
  expect(fast.end().errors.map((record) => record.error_code)).toContain(6407);
});

test('FLV that breaks ends with what was judged before, and says at which byte', () => {
  const judge = createJudge();
  const at = 200_000;
  judge.write(FILE.subarray(0, at));
  judge.write(new Uint8Array(50_000).fill(0xff));
  const codes = () => judge.end().errors.map((record) => record.error_code);
  expect(judge.end()).toMatchObject({ outcome: 'unreadable', problem: expect.stringMatching(/^invalid FLV at byte/) });
  expect(codes()).toEqual(codes());
  const empty = createJudge({ name: 'empty.flv' });
  expect(empty.end()).toMatchObject({ file: 'empty.flv', outcome: 'unreadable', problem: 'no input' });
  const foreign = createJudge();
  foreign.write(new TextEncoder().encode('a text'));
  expect(foreign.end()).toMatchObject({ outcome: 'unreadable', problem: expect.stringMatching(/^not FLV/) });
});

test('a row of the profile table that the stream is not of is said in the result', () => {
  expect(judged(FILE.length, { profile: '1080p60' }).result.profile).toMatchObject({ name: '1080p60', met: false });
});

const flv = (): Judge => createJudge();
const wrong: [string, string, () => unknown][] = [
  ['a profile without a row', 'UNKNOWN_PROFILE', () => createJudge({ profile: '4k' })],
  ['bounds that are no JSON', 'BAD_SPEC', () => createJudge({ spec: '{' })],
  ['bounds with an unknown member', 'BAD_SPEC', () => createJudge({ spec: { live: { keyFrames: 1 } } })],
  ['bounds that are circular', 'BAD_SPEC', () => createJudge({ spec: circular() })],
  ['a string in place of bytes', 'BAD_INPUT', () => flv().write(JSON.parse('"FLV"'))],
  ['a time of a file', 'BAD_INPUT', () => flv().write(FILE, 5)],
  ['a tick of a file', 'BAD_INPUT', () => flv().tick()],
  ['a time that goes below 0', 'BAD_INPUT', () => createJudge({ mode: 'live' }).write(FILE, -1)],
  ['a time beyond 32 bits', 'BAD_INPUT', () => flv().tag({ kind: 'audio', timestampMs: 2 ** 32, payload: FILE })],
  ['tags after bytes', 'BAD_INPUT', () => tagAfter(flv())],
  ['bytes after the end', 'ENDED', () => writeAfterEnd(flv())],
];

function circular(): object {
  const live: Record<string, unknown> = {};
  live.live = live;
  return live;
}

function tagAfter(judge: Judge): void {
  judge.write(FILE);
  judge.tag({ kind: 'audio', timestampMs: 0, payload: FILE });
}

function writeAfterEnd(judge: Judge): void {
  judge.end();
  judge.write(FILE);
}

test.each(wrong)('%s is an error of the caller: %s', (_what, code, call) => {
  expect(call).toThrow(expect.objectContaining({ name: 'AirlockError', code }));
});

test('one unfinished tag is held, however small the pieces: 16 MiB cost no more than that', () => {
  const size = 0xff_ffff;
  const frame = avcFrame(lengthPrefixed([filler(size - 64)]), { key: true });
  const head = flvFile([
    { kind: 'video', timestampMs: 0, payload: avcSequenceHeader(buildAvcc({ sps: [buildSps()] })) },
    { kind: 'video', timestampMs: 0, payload: frame },
  ]);
  const judge = createJudge();
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < head.length - 100; at += 64) judge.write(head.subarray(at, at + 64));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * 1024 * 1024);
});

inFull('ten thousand records are listed, and the rest is counted', () => {
  const judge = createJudge();
  const [header = FILE, frame = FILE] = LONG_INTERVAL.filter(({ kind }) => kind === 'audio').map((tag) => tag.payload);
  judge.tag({ kind: 'audio', timestampMs: 0, payload: header });
  // A step back after more than a minute is a record of its own.
  for (let i = 1; i <= 161_600; i++) {
    judge.tag({ kind: 'audio', timestampMs: i * 4_500 - (i % 16 === 0 ? 5_000 : 0), payload: frame });
  }
  const { errors, notes } = judge.end();
  expect(errors.length).toBeGreaterThanOrEqual(10_000);
  expect(errors.length).toBeLessThan(10_100);
  expect(notes.join()).toMatch(/more records are not listed/);
});

test('reading stops where the caller aborts, with his reason', async () => {
  const stopped = new AbortController();
  const progress: number[] = [];
  const reading = validateFile(new Blob([FILE]), {
    signal: stopped.signal,
    onProgress: ({ bytes, health }) => {
      progress.push(bytes);
      if (health.streamTimeMs > 4_000) stopped.abort(new Error('enough'));
    },
  });
  await expect(reading).rejects.toThrow('enough');
  expect(progress.at(-1)).toBeLessThan(FILE.length);
});

test('progress tells the health at each second of the stream, and each finding once', async () => {
  const times: number[] = [];
  const findings: Finding[] = [];
  const result = await validateFile(new Blob([FILE]), {
    onProgress: (progress) => {
      times.push(progress.health.streamTimeMs);
      findings.push(...progress.findings);
    },
  });
  expect(times.length).toBeGreaterThan(8);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(findings.filter(({ change }) => change === 'raised').map(({ record }) => record.error_code)).toEqual(
    result.errors.map((record) => record.error_code),
  );
});

test('a file of another container, and an empty one, are unreadable and say why', async () => {
  const text = await validateFile(new Blob([new TextEncoder().encode('RIFF....AVI LIST')]));
  expect(text).toMatchObject({ outcome: 'unreadable', problem: expect.stringContaining('not FLV') });
  expect(await validateFile(new Blob([]))).toMatchObject({ outcome: 'unreadable', problem: 'empty file' });
});

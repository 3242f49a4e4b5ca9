/** 6821 and 6822: captions and time codes. */
import { describe, expect, test } from '@jest/globals';
import {
  captionSei,
  clockOfFrame,
  PADDING_608,
  PADDING_708,
  pictureTiming,
  spliceInsert,
  TEXT_608,
  TEXT_708,
} from '../support/caption-writer.js';
import { applyEdits, type Edit } from '../support/fixture-edits.js';
import { type SpsFields, sei } from '../support/h264-writer.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';
import { codesOf, feed, judgeStream, newJudge, only, START_WALL_MS, timesOf } from './harness.js';

/** Small frames: these streams are long. */
const SMALL: SynthOptions = { width: 640, height: 360, videoKbps: 500 };
const CLOCKED: SpsFields = { vui: { timing: { numUnitsInTick: 1, timeScale: 60 }, picStructPresent: true } };

const hexOf = (nal: Uint8Array): string => Buffer.from(nal).toString('hex');
const nal = (bytes: Uint8Array, from_ms: number, to_ms = Number.POSITIVE_INFINITY): Edit => [
  'nal',
  { from_ms, to_ms, hex: hexOf(bytes) },
];
const TEXT = captionSei([TEXT_608, PADDING_708]);
const PADDING = captionSei([PADDING_608, PADDING_708]);

function stream(durationMs: number, edits: readonly Edit[], options: SynthOptions = {}): Iterable<SynthMessage> {
  return applyEdits(synthStream({ ...SMALL, ...options, durationMs }), edits);
}

describe('6821 CAPTIONS_LOST', () => {
  test.each<[string, number, readonly Edit[], readonly number[]]>([
    ['padding for 60 s', 64_900, [nal(TEXT, 0, 5_000), nal(PADDING, 5_000)], []],
    ['padding for 61 s', 66_000, [nal(TEXT, 0, 5_000), nal(PADDING, 5_000)], [6821]],
    ['no captions for 10 s', 21_900, [nal(TEXT, 0, 12_000)], []],
    ['no captions for 11 s', 23_000, [nal(TEXT, 0, 12_000)], [6821]],
    ['padding from the start', 70_000, [nal(PADDING, 0)], []],
    [
      'captions of an encoder that sends them only with text',
      70_000,
      [nal(TEXT, 0, 1_000), nal(TEXT, 4_000, 6_000), nal(TEXT, 9_000, 10_000)],
      [],
    ],
    ['CEA-708 alone, then padding', 66_000, [nal(captionSei([TEXT_708]), 0, 5_000), nal(PADDING, 5_000)], [6821]],
    ['no captions', 70_000, [], []],
  ])('%s', (_name, durationMs, edits, codes) => {
    expect(codesOf(stream(durationMs, edits))).toEqual(codes);
  });

  test('is cleared by the next text', () => {
    const edits = [nal(TEXT, 0, 5_000), nal(PADDING, 5_000, 70_000), nal(TEXT, 70_000)];
    const run = judgeStream(stream(75_000, edits));
    expect(only(run, 6821)).toMatchObject({ severity: 'info', limit: 60_000 });
    expect(only(run, 6821).worst).toBeGreaterThan(64_000);
    const [clearedMs] = timesOf(run, 6821, 'cleared');
    expect(clearedMs).toBeGreaterThanOrEqual(70_000);
    expect(clearedMs).toBeLessThan(70_100);
    expect(run.judge.health().dataTracks).toMatchObject([{ kind: 'captions', format: 'CEA-608 field 1', count: 300 }]);
  });

  test('is not judged with analysis off', () => {
    const { judge } = judgeStream(stream(23_000, [nal(TEXT, 0, 12_000)]), { analysis: false });
    expect(judge.verdict().find(({ code }) => code === 6821)?.judged).toBe('not-judged');
    expect(judge.health().dataTracks).toBeUndefined();
  });
});

describe('6822 TIMECODE_JUMP', () => {
  const clocked = (durationMs: number, jumps_ms: readonly number[], frames: number) =>
    stream(durationMs, [['timecode', { fps: 30, jumps_ms, frames }]], { sps: CLOCKED });

  test.each<[string, readonly number[], number, readonly number[]]>([
    ['a code that follows the timestamps', [], 0, []],
    ['two jumps', [8_000, 12_000], 30, []],
    ['three jumps', [8_000, 12_000, 16_000], 30, [6822]],
    ['three jumps by one frame', [8_000, 12_000, 16_000], 1, []],
    ['three jumps by two frames', [8_000, 12_000, 16_000], 2, [6822]],
  ])('%s', (_name, jumps, frames, codes) => {
    expect(codesOf(clocked(22_000, jumps, frames))).toEqual(codes);
  });

  test('three jumps further apart than a minute are cuts', () => {
    expect(codesOf(clocked(80_000, [8_000, 40_000, 75_000], 30))).toEqual([]);
  });

  test('shows the code as a track', () => {
    const { judge } = judgeStream(clocked(22_000, [8_000], 30));
    const [track] = judge.health().dataTracks ?? [];
    expect(track).toMatchObject({ kind: 'timecode', format: 'picture timing', invalid: 1 });
    expect(track?.last).toMatch(/^00:00:22:\d\d$/);
    // One inter frame in 16, and each key frame.
    expect(track?.count).toBeGreaterThan(45);
    expect(track?.count).toBeLessThan(70);
  });

  test('passes drop frame counting at 29.97 fps over a minute, and B pictures', () => {
    const fps = 30_000 / 1001;
    const messages = function* (): Generator<SynthMessage> {
      for (const message of synthStream({ ...SMALL, sps: CLOCKED, fps, bFrames: 2, durationMs: 40_000 })) {
        if (message.kind !== 'video' || message.payload[1] !== 1) {
          yield message;
          continue;
        }
        const cts = ((message.payload[3] as number) << 8) | (message.payload[4] as number);
        const frame = 1_780 + Math.round(((message.timestampMs + cts) * fps) / 1000);
        const clock = sei(1, pictureTiming(clockOfFrame(frame, 30, true)));
        yield {
          ...message,
          payload: Buffer.concat([message.payload.subarray(0, 5), lengthOf(clock), clock, message.payload.subarray(5)]),
        };
      }
    };
    const run = judgeStream(messages());
    expect(run.records.map(({ error_code }) => error_code)).toEqual([]);
    expect(run.judge.health().dataTracks?.[0]?.last).toMatch(/^00:01:3[89];/);
  });
});

function lengthOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(0, 0, 0, bytes.length);
}

describe('data messages', () => {
  function judged(send: (judge: ReturnType<typeof newJudge>, second: number) => void) {
    const judge = newJudge();
    judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
    let second = 0;
    const counter = { messages: 0, bytes: 0 };
    for (const message of synthStream({ ...SMALL, durationMs: 30_000 })) {
      if (message.kind === 'data') continue;
      if (message.timestampMs >= second * 1000) send(judge, second++);
      feed(judge, message, counter);
    }
    return judge;
  }

  test('counts texts, captions, cues and sections', () => {
    const section = Buffer.from(spliceInsert({ isOut: true })).toString('base64');
    const broken = Buffer.from(spliceInsert().map((byte, i) => (i === 20 ? byte ^ 1 : byte))).toString('base64');
    const judge = judged((each, second) => {
      if (second === 3) each.data('onTextData', [{ text: 'Hi' }], 3000, 0);
      if (second === 4) each.data('onCaptionInfo', [{ type: '708', data: '' }], 4000, 0);
      if (second === 5) each.data('onCuePoint', [{ name: 'ad', parameters: { scte35: broken } }], 5000, 0);
      if (second === 6) each.data('onCuePoint', [{ name: 'ad', parameters: { scte35: section } }], 6000, 0);
      each.data('onWhatever', [1], 0, 0);
    });
    expect(judge.health().dataTracks).toMatchObject([
      { kind: 'text', format: 'onTextData', count: 1 },
      { kind: 'captions', format: 'onCaptionInfo', count: 1 },
      { kind: 'cues', format: 'onCuePoint', count: 2 },
      { kind: 'cues', format: 'SCTE 35', count: 2, invalid: 1, last: 'splice_insert out' },
    ]);
  });

  test.each([
    ['advances', (second: number) => `10:00:${String(second).padStart(2, '0')}:00`, []],
    ['stands still', () => '10:00:00:00', [6822]],
  ] as const)('a time code in onFI that %s', (_name, codeAt, codes) => {
    const judge = judged((each, second) => each.data('onFI', [{ tc: codeAt(second) }], second * 1000, 0));
    judge.end({ wallMs: START_WALL_MS, atMs: 0 });
    expect([...new Set(judge.takeChanges().map(({ body }) => body.error_code))]).toEqual(codes);
    expect(judge.health().dataTracks).toMatchObject([{ kind: 'timecode', format: 'onFI', count: 30 }]);
  });
});

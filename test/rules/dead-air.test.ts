/** Silence and other sound that viewers would not expect: each rule at its bound and over it, and its clearing. */
import { describe, expect, test } from '@jest/globals';
import { silentFrame, type ToneFields, toneFrame } from '../support/aac-writer.js';
import type { SynthFrame, SynthMessage, SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun } from './harness.js';

const BYTES = 340;

/** Audio frames from 3 s on for `forMs`, by index. */
function sound(forMs: number, frameOf: (index: number) => Uint8Array, durationMs = 3_000 + forMs): SynthOptions {
  const edit = (frame: SynthFrame): SynthMessage[] => {
    const isEdited = frame.role === 'audioFrame' && frame.timestampMs >= 3_000 && frame.timestampMs < 3_000 + forMs;
    return [isEdited ? { ...frame, payload: Uint8Array.of(0xaf, 1, ...frameOf(frame.index)) } : frame];
  };
  return { durationMs, edit };
}

/** Written once: bit by bit they cost more time than judging them. */
const SILENT_FRAME = silentFrame(2, BYTES);
const silence = (): Uint8Array => SILENT_FRAME;
const tone = (fields: ToneFields, channels = 2): ((index: number) => Uint8Array) => {
  const frames = [false, true].map((isNegative) => toneFrame(channels, BYTES, { isNegative, ...fields }));
  return (index) => frames[index % 2] ?? SILENT_FRAME;
};
/** 4 steps of the scale factor are 6 dB: -23 LUFS less `dB`. */
const quieter = (dB: number): number => Math.round(185 - dB / 1.505);

const CASES: readonly (readonly [code: number, name: string, at: SynthOptions, over: SynthOptions])[] = [
  [6801, 'zero frames', sound(9_000, silence), sound(12_000, silence)],
  [6801, '57 and 63 dB', sound(12_000, tone({ gain: quieter(34) })), sound(12_000, tone({ gain: quieter(41) }))],
  [6802, 'one zero channel', sound(9_000, tone({ rightGain: 0 })), sound(12_000, tone({ rightGain: 0 }))],
  [
    6802,
    'a channel of 54 and of 64 dB',
    sound(12_000, tone({ rightGain: quieter(28) })),
    sound(12_000, tone({ rightGain: quieter(42) })),
  ],
  [
    6802,
    'middle and side, equal',
    sound(12_000, tone({ isJoint: true, rightGain: 0 })),
    sound(12_000, tone({ isJoint: true })),
  ],
  [6803, 'opposite channels', sound(9_000, tone({ isOpposite: true })), sound(12_000, tone({ isOpposite: true }))],
  [
    6803,
    'a difference 18 and 22 dB above the sum',
    sound(12_000, tone({ isJoint: true, gain: quieter(18), rightGain: 185 })),
    sound(12_000, tone({ isJoint: true, gain: quieter(22.5), rightGain: 185 })),
  ],
  [6804, 'equal frames', sound(400, tone({ isNegative: false })), sound(1_500, tone({ isNegative: false }))],
  [6805, '43 and 48 dB', sound(40_000, tone({ gain: quieter(20) })), sound(40_000, tone({ gain: quieter(25) }))],
  [6805, 'for 29 and 36 s', sound(29_000, tone({ gain: quieter(25) })), sound(36_000, tone({ gain: quieter(25) }))],
];

describe('dead air', () => {
  test('a tone raises nothing', () => {
    expect(codesOf({ durationMs: 45_000 })).toEqual([]);
  });

  test.each(CASES)('%d passes at the bound and fails over it: %s', (code, _name, at, over) => {
    expect(codesOf(at)).not.toContain(code);
    expect(codesOf(over)).toContain(code);
  });

  test('silence clears a second after the sound returns, and a click does not clear it', () => {
    const click = (index: number): Uint8Array => (index === 701 ? toneFrame(2, BYTES) : silence());
    const { changes } = judgeStream(sound(20_000, click, 26_000));
    expect(changes.map(({ change, body }) => [body.error_code, change])).toEqual([
      [6801, 'raised'],
      [6801, 'cleared'],
    ]);
  });

  test('short sounds between sampled frames break a silence', () => {
    const ticks = (index: number): Uint8Array => (index % 48 === 7 ? toneFrame(2, BYTES) : silence());
    expect(codesOf(sound(20_000, ticks))).toEqual([]);
  });

  test('equal silent frames are silence, not repeated sound', () => {
    expect(codesOf(sound(12_000, silence))).toEqual([6801]);
  });

  test('mono has no channels to compare', () => {
    const options = sound(12_000, tone({}, 1));
    expect(codesOf({ ...options, channels: 1 })).not.toContain(6802);
  });

  test('judges the same live as in a file, and nothing with analysis off', () => {
    const options = sound(12_000, silence);
    const live = new LiveRun().connect().goLive().send(options).disconnect().end();
    expect(live.codes).toEqual(codesOf(options));
    expect(judgeStream(options, { analysis: false }).records).toEqual([]);
  });

  test.each([
    [-23, []],
    [-24, []],
    [-14, [6806]],
    [undefined, []],
  ])('ten minutes at -23 LUFS with the target %s', (loudnessTarget, codes) => {
    const { records } = judgeStream({ durationMs: 625_000, video: false }, { loudnessTarget });
    expect(records.map(({ error_code }) => error_code).filter((code) => code === 6806)).toEqual(codes);
  });
});

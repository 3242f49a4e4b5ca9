/** Rules beyond the published document: at the bound they pass, over it they fail, and with analysis off they are silent. */
import { describe, expect, test } from '@jest/globals';
import { slice } from '../support/h264-writer.js';
import type { SynthFrame, SynthMessage, SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun } from './harness.js';

/** From frame 30 to the next IDR, every frame_num is `frameNum`; before, it is 1. */
function withFrameNum(frameNum: number): SynthOptions {
  const header = slice({ frameNum, size: 12 }).subarray(0, 4);
  const edit = (frame: SynthFrame): SynthMessage[] => {
    if (frame.role !== 'interFrame' || frame.index < 30 || frame.index > 60) return [frame];
    const payload = frame.payload.slice();
    payload.set(header, 9);
    return [{ ...frame, payload }];
  };
  return { durationMs: 4000, edit };
}

function stepsOf(kind: 'video' | 'audio', addMs: readonly number[], durationMs: number): SynthOptions {
  const edit = (frame: SynthFrame): SynthMessage[] =>
    frame.kind === kind && frame.role !== 'config'
      ? [{ ...frame, timestampMs: Math.max(0, frame.timestampMs + (addMs[frame.index % addMs.length] ?? 0)) }]
      : [frame];
  return { durationMs, edit };
}

const hrd = (kbps: number): SynthOptions => ({
  durationMs: 8000,
  sps: {
    vui: {
      nalHrd: {
        entries: [
          {
            bitrateValueMinus1: Math.round((kbps * 1000) / 64) - 1,
            cpbSizeValueMinus1: Math.round(kbps * 62.5) - 1,
            cbr: true,
          },
        ],
      },
    },
  },
});

const CASES: readonly (readonly [code: number, name: string, at: SynthOptions, over: SynthOptions])[] = [
  [6220, 'frame_num one and two ahead', withFrameNum(2), withFrameNum(3)],
  [6222, 'five and six reference frames', { sps: { maxNumRefFrames: 5 } }, { sps: { maxNumRefFrames: 6 } }],
  [6223, 'an HRD of 2,600 and of 1,500 kbps', hrd(2600), hrd(1500)],
  [
    6227,
    'sample aspect ratios 16 and 17',
    { sps: { vui: { aspectRatioIdc: 16 } } },
    { sps: { vui: { aspectRatioIdc: 17 } } },
  ],
  [6227, 'sample aspect ratios 0:0 and 0:1', { sps: { vui: { sar: [0, 0] } } }, { sps: { vui: { sar: [0, 1] } } }],
  [6228, 'B slices in Main and in Baseline', { profileIdc: 77, bFrames: 2 }, { profileIdc: 66, bFrames: 2 }],
  [6229, 'eight and nine slices', { slices: 8 }, { slices: 9 }],
  [6308, 'audio steps off by 4 and by 9 ms', stepsOf('audio', [0, 4], 14_000), stepsOf('audio', [0, 9], 14_000)],
  [6410, 'frames 4 and 20 ms late', stepsOf('video', [0, 4], 25_000), stepsOf('video', [0, 20], 25_000)],
];

describe('beyond the published document', () => {
  test.each(CASES)('%d passes at the bound and fails over it: %s', (code, _name, at, over) => {
    expect(codesOf({ durationMs: 3000, ...at })).not.toContain(code);
    expect(codesOf({ durationMs: 3000, ...over })).toContain(code);
  });

  test.each(CASES)('%d is not judged with analysis off: %s', (code, _name, _at, over) => {
    const { judge } = judgeStream({ durationMs: 3000, ...over }, { analysis: false });
    expect(judge.verdict().find((row) => row.code === code)?.judged).toBe('not-judged');
  });

  test('two equal timestamps pass and three fail', () => {
    const equal = (times: number): SynthOptions => ({
      durationMs: 5000,
      edit: (frame) => {
        const isRepeated = frame.kind === 'video' && frame.index % 20 === 10 && frame.index < 20 * times;
        return [isRepeated ? { ...frame, timestampMs: Math.round(((frame.index - 1) * 1000) / 30) } : frame];
      },
    });
    expect(codesOf(equal(2))).toEqual([]);
    expect(codesOf(equal(3))).toEqual([6411]);
  });

  test('judges the same live as in a file', () => {
    for (const [code, , , over] of CASES.slice(0, 6)) {
      const live = new LiveRun()
        .connect()
        .goLive()
        .send({ durationMs: 3000, ...over })
        .disconnect()
        .end();
      expect(live.codes).toEqual(codesOf({ durationMs: 3000, ...over }));
      expect(live.codes).toContain(code);
    }
  });

  test('never ends a broadcast under strict enforcement', () => {
    const run = new LiveRun({ enforce: 'strict' }).connect().goLive().send({ durationMs: 20_000, slices: 9 });
    expect(run.codes).toEqual([6229]);
    expect(run.judge.ended).toBeUndefined();
  });

  test('the description of 6223 has the buffer and the rate in groups of three digits', () => {
    const { records } = judgeStream(hrd(1500));
    const [empty] = records.filter(({ error_code }) => error_code === 6223);
    expect(empty?.description).toContain('A buffer of 1,500 kbit, filled at 1,500 kbps, lacks');
  });

  test('reports each reference loss once until key frames are clean', () => {
    const { records } = judgeStream(withFrameNum(5));
    const [lost] = records.filter(({ error_code }) => error_code === 6220);
    expect(lost).toMatchObject({ observed: 3, count: 1, severity: 'warning', clause: 'H.264 7.4.3' });
  });
});

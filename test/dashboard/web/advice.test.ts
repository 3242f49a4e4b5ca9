/** The remedies of all open errors, as one thing to do. */
import { adviceOf } from '../../../src/dashboard/web/shared/advice.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

const record = (sequence: number, remediation: string, severity: ErrorView['severity'] = 'error'): ErrorView =>
  ({ sequence, remediation, severity }) as ErrorView;

const GOP = 'With ffmpeg: -g 60 at 30 fps (-g 120 at 60 fps).';

test('each remedy once, errors before warnings', () => {
  const { steps, text } = adviceOf([
    record(1, 'Lower the bitrate.', 'warning'),
    record(2, 'Set Channels to Stereo.'),
    record(3, 'Set Channels to Stereo.'),
    record(4, ''),
  ]);
  expect(steps).toEqual(['Set Channels to Stereo.', 'Lower the bitrate.']);
  expect(text).toBe('Set Channels to Stereo.\nLower the bitrate.');
});

test.each([
  [30, 'With ffmpeg: -g 60.'],
  [60, 'With ffmpeg: -g 120.'],
  [undefined, GOP],
] as const)('at %s fps a remedy says the value for it', (frameRateClass, expected) => {
  expect(adviceOf([record(1, GOP)], frameRateClass).steps).toEqual([expected]);
});

test('options of a command line are joined unless two contradict each other', () => {
  const stereo = record(2, 'With ffmpeg: -ac 2.');
  expect(adviceOf([record(1, GOP), stereo], 30).options).toEqual(['-g 60', '-ac 2']);
  expect(adviceOf([record(1, GOP), stereo]).options).toEqual([]);
  expect(adviceOf([stereo, record(3, 'Use a wired network.')]).options).toEqual([]);
});

const SCALE = '-vf "scale=1280:720:force_original_aspect_ratio=decrease,pad=1280:720:-1:-1,setsar=1"';

test.each([
  ['With ffmpeg: -c:v libx264.', ['-c:v libx264', '-ac 2']],
  [`With ffmpeg: ${SCALE}.`, [SCALE, '-ac 2']],
  ['With ffmpeg: -c:a aac -profile:a aac_low.', ['-c:a aac', '-profile:a aac_low', '-ac 2']],
  // A choice, an option without its value and an option to be removed cannot be pasted into a command line.
  ['With ffmpeg: -vf scale=1280:720, or another of these sizes.', []],
  ['With ffmpeg: lower -b:v, with -maxrate and -bufsize at the same value.', []],
  ['With ffmpeg: leave -level out, so that x264 chooses it.', []],
])('only steps that are nothing but options with their values are joined: %s', (step, expected) => {
  expect(adviceOf([record(1, step), record(2, 'With ffmpeg: -ac 2.')]).options).toEqual(expected);
});

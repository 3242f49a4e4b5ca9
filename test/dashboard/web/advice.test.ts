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

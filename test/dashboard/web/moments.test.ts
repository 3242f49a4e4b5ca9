import { brokenAt, momentsOf } from '../../../src/dashboard/web/shared/moments.js';
import { type ErrorView, errorView } from '../../../src/spec/error-view.js';
import { recordBody } from '../../support/store-harness.js';

const T0 = 1_700_000_000_000;

const record = (streamS: number, lastsS: number | null, over: Parameters<typeof recordBody>[3] = {}): ErrorView =>
  errorView(
    {
      ...recordBody('1', 1, streamS, {
        timestampMs: T0 + streamS * 1_000,
        stream_time_ms: streamS * 1_000,
        cleared_time_ms: lastsS === null ? null : T0 + (streamS + lastsS) * 1_000,
        ...over,
      }),
      sequence: streamS,
      revision: streamS,
    },
    { broadcastId: '1', videoId: '10' },
  );

test('a moment lasts as long as its rule was broken, and a point in time for 2 s', () => {
  const moments = momentsOf([record(30, null), record(10, 0), record(5, 8)], T0 + 40_000);
  expect(moments.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [5_000, 13_000],
    [10_000, 12_000],
    [30_000, 40_000],
  ]);
});

test('a record that recurred is shown as broken at times, not throughout', () => {
  const [moment] = momentsOf([record(5, 20, { count: 4, open_ms: 4_000 })], T0 + 40_000);
  expect(moment).toMatchObject({
    fromMs: 5_000,
    toMs: 25_000,
    share: 0.2,
    title: expect.stringMatching(/, at times$/),
  });
  expect(momentsOf([record(5, 20, { open_ms: 20_000 })], T0 + 40_000)[0]).not.toHaveProperty('share');
});

test('leaves out notes and refused publishes, which have no place in the recording', () => {
  expect(momentsOf([record(1, 1, { severity: 'info' }), record(1, 1, { source: 'publish' })], T0)).toEqual([]);
});

test('names each broken rule once, errors first', () => {
  const mono = { error_code: 6304, error_type: 'AUDIO_CHANNELS_NOT_STEREO' };
  const late = { error_code: 6208, error_type: 'KEY_FRAME_INTERVAL_TOO_LONG', severity: 'warning' as const };
  const moments = momentsOf([record(1, 9, late), record(2, 5, mono), record(3, 5, mono)], T0 + 20_000);
  expect(brokenAt(moments, 4_000).map(({ title, severity }) => [title, severity])).toEqual([
    ['Audio is not stereo', 'error'],
    ['Key frames too far apart', 'warning'],
  ]);
  expect(brokenAt(moments, 1_500)).toHaveLength(1);
  expect(brokenAt(moments, 10_000)).toEqual([]);
});

import {
  ENCODER_SETTINGS,
  ffmpegLine,
  splitStreamUrl,
} from '../../../src/dashboard/web/dashboard/broadcast/encoder-settings.js';
import { errorsAsCsv, errorsAsJson } from '../../../src/dashboard/web/dashboard/broadcast/error-export.js';
import { errorView } from '../../../src/spec/error-view.js';
import { LIVE } from '../../../src/spec/live.js';
import { recordBody } from '../../support/store-harness.js';

const view = errorView(
  {
    ...recordBody('1', 1, 1, {
      description: 'He said "no",\r\nthen left',
      remediation: '=HYPERLINK("x")',
      observed: -5,
    }),
    sequence: 3,
    revision: 7,
  },
  { broadcastId: '1', videoId: '10' },
);

test('CSV quotes special characters and escapes formulas', () => {
  const csv = errorsAsCsv([view]);
  expect(csv.split('\r\n')[0]).toMatch(/^sequence,timestamp,cleared_time,severity,error_code,/);
  expect(csv).toContain('"He said ""no"",\r\nthen left"');
  expect(csv).toContain(`"'=HYPERLINK(""x"")"`);
  expect(csv).toContain(',-5,');
  expect(csv).toContain(',stream,,,1,10,1_1_1\r\n');
  expect(csv.endsWith('\r\n')).toBe(true);
});

test('JSON has the records as returned by GET', () => {
  expect(JSON.parse(errorsAsJson([view]))).toEqual([JSON.parse(JSON.stringify(view))]);
});

test.each(ENCODER_SETTINGS)('the ffmpeg command for $name is within the published bounds', (settings) => {
  const profile = LIVE.profiles.find((each) => each.name === settings.name);
  expect(settings.videoKbps).toBeGreaterThanOrEqual(profile?.videoBitrateKbps.min ?? Number.NaN);
  expect(settings.videoKbps).toBeLessThanOrEqual(profile?.videoBitrateKbps.max ?? Number.NaN);
  const line = ffmpegLine(settings, 'rtmps://h:1/live/5-k');
  expect(line).toContain(`-g ${2 * settings.fps} `);
  expect(line).toContain(`size=${settings.width}x${settings.height}:rate=${settings.fps}`);
  expect(line).toContain("-f flv 'rtmps://h:1/live/5-k'");
});

test('splits a stream URL into server and stream key at the last slash', () => {
  expect(splitStreamUrl('rtmps://h:1/live/5-k')).toEqual({ server: 'rtmps://h:1/live/', key: '5-k' });
});

/** The state of a broadcast in one sentence. */

import type { BroadcastView, HealthView } from '../../../src/dashboard/view/protocol.js';
import { healthLine, sinceOf } from '../../../src/dashboard/web/shared/health-line.js';
import { type RowVerdict, stateLabel, type Verdict } from '../../../src/dashboard/web/shared/verdicts.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

const VIEW = { id: '1', status: 'LIVE', stream_state: 'connected' } as BroadcastView;
const HEALTH = { width: 1280, height: 720, frame_rate: 30, video_bitrate_kbps: 2_500, encoder: 'OBS 30' } as HealthView;
/** A row with one record of its severity where it does not pass. */
const rows = (...found: Verdict[]): RowVerdict[] =>
  found.map((verdict) => {
    const severity = verdict === 'fail' ? 'error' : 'warning';
    const against = verdict === 'fail' || verdict === 'warn' ? [{ severity } as ErrorView] : [];
    const row: Partial<RowVerdict> = { verdict, records: [...against, { severity: 'info' } as ErrorView] };
    return row as RowVerdict;
  });
const at = (view: Partial<BroadcastView>, health: HealthView | undefined, ...found: Verdict[]) =>
  healthLine({ ...VIEW, ...view }, health, rows(...found), 1_000_000);

test('names the worst that holds and what is sent', () => {
  expect(at({}, HEALTH, 'pass', 'fail', 'warn')).toEqual({
    word: 'Poor',
    tone: 'fail',
    sentence: '1 error, 1 warning',
    sent: ['1280×720', '30 fps', '2,500 kbps', 'OBS 30'],
  });
  expect(at({}, HEALTH, 'pass', 'warn')).toMatchObject({ word: 'Fair', sentence: '1 warning' });
  expect(at({}, HEALTH, 'pass', 'unjudged')).toMatchObject({ word: 'Good', tone: 'pass' });
  expect(at({}, HEALTH, 'unjudged')).toMatchObject({ word: 'Checking' });
  expect(at({ stream_state: 'waiting' }, undefined, 'unjudged')).toMatchObject({ word: 'Waiting', sent: [] });
});

test('counts down to the end while the encoder is away, with the last values', () => {
  const ends_time = new Date(1_042_000).toISOString();
  expect(at({ stream_state: 'interrupted', ends_time }, HEALTH, 'pass')).toEqual({
    word: 'Disconnected',
    tone: 'warn',
    sentence: 'Encoder disconnected: ends in 42 s. Reconnect with the same stream key.',
    sent: ['1280×720', '30 fps', '2,500 kbps', 'OBS 30'],
  });
});

test('says that new encoder settings are on their way', () => {
  const ends_time = new Date(1_042_000).toISOString();
  const line = at({ stream_state: 'interrupted', ends_time, encoder_retuned: true }, HEALTH, 'pass');
  expect(line.sentence).toBe('New encoder settings: OBS reconnects with them in about 45 s.');
});

test('after the end, says why it was ended or what failed', () => {
  expect(at({ status: 'VOD' }, undefined, 'pass', 'fail')).toMatchObject({ tone: 'fail', sentence: '1 error' });
  expect(at({ status: 'VOD' }, undefined, 'pass')).toMatchObject({ tone: 'pass', sentence: 'No errors' });
  expect(at({ status: 'VOD' }, undefined, 'pass', 'warn')).toMatchObject({ tone: 'warn', sentence: '1 warning' });
  expect(at({ status: 'SCHEDULED_CANCELED' }, undefined, 'unjudged')).toMatchObject({ tone: 'quiet' });
  const end_reason = {
    code: 6501,
    type: 'DURATION_EXCEEDED',
    text: '[6501 DURATION_EXCEEDED] It lasted 8 h.',
  } as const;
  expect(at({ status: 'LIVE_STOPPED', end_reason } as Partial<BroadcastView>, undefined)).toMatchObject({
    sentence: 'The broadcast was ended. It lasted 8 h.',
  });
});

test('a clean stop of the encoder is an end, not an interruption', () => {
  const stopped = { stream_state: 'interrupted', encoder_stopped: true } as const;
  const line = at({ ...stopped, ends_time: new Date(1_042_000).toISOString() }, undefined, 'pass');
  expect(line).toMatchObject({ word: 'Ended', tone: 'quiet' });
  expect(line.sentence).toBe(
    'Ended by the encoder: the broadcast closes in 42 s. To continue it, stream with the same key.',
  );
  expect(stateLabel({ ...VIEW, ...stopped }).text).toBe('Ended by the encoder');
  expect(at({ status: 'VOD', encoder_stopped: true }, undefined, 'pass').sentence).toBe(
    'Ended by the encoder. No errors',
  );
});

test('after a lost connection, says so and counts the records of all rows, errors and warnings apart', () => {
  const lost = { status: 'VOD', stream_state: 'ended', connection_lost: true } as const;
  const [row] = rows('fail');
  const many = [
    { ...row, records: [...(row?.records ?? []), ...rows('fail', 'fail', 'warn').flatMap((each) => each.records)] },
  ];
  const line = healthLine({ ...VIEW, ...lost }, undefined, many as RowVerdict[], 0);
  expect(line).toMatchObject({ tone: 'fail', sentence: 'Connection lost. 3 errors, 1 warning' });
  expect(at(lost, undefined, 'pass')).toMatchObject({ tone: 'warn', sentence: 'Connection lost. No errors' });
});

test('an error log that has not been read to its end is not called free of errors', () => {
  const line = (...found: Verdict[]) => healthLine({ ...VIEW, status: 'VOD' }, undefined, rows(...found), 0, false);
  expect(line('pass')).toMatchObject({ tone: 'quiet', sentence: 'Reading the error log.' });
  expect(line('fail')).toMatchObject({ tone: 'fail', sentence: 'At least 1 error' });
});

test('since when: the first open error, the last that was cleared, the start, or the disconnection', () => {
  const record = (fromMs: number, toMs?: number, severity = 'error') =>
    ({
      severity,
      source: 'stream',
      timestamp: new Date(fromMs).toISOString(),
      ...(toMs === undefined ? {} : { cleared_time: new Date(toMs).toISOString() }),
    }) as ErrorView;
  const view = { ...VIEW, stream_since: new Date(1_000).toISOString() };
  expect(sinceOf(view, [])).toBe(1_000);
  expect(sinceOf(view, [record(2_000, 5_000), record(3_000, 4_000)])).toBe(5_000);
  expect(sinceOf(view, [record(2_000, 5_000), record(7_000), record(6_000), record(3_000, undefined, 'info')])).toBe(
    6_000,
  );
  expect(sinceOf(view, [record(2_000, undefined, 'warning'), record(6_000)])).toBe(6_000);
  expect(sinceOf({ ...view, stream_state: 'interrupted' }, [record(2_000)])).toBe(1_000);
  expect(sinceOf({ ...view, status: 'VOD' }, [record(2_000)])).toBeUndefined();
  expect(sinceOf({ ...view, stream_state: 'waiting' }, [])).toBeUndefined();
});

import type { BroadcastView, HealthView } from '../../../src/dashboard/view/protocol.js';
import { SPEC_ROWS } from '../../../src/dashboard/web/shared/spec-rows.js';
import { finalCounts, openCounts, titleOf, verdicts } from '../../../src/dashboard/web/shared/verdicts.js';
import { CATALOGUE } from '../../../src/rules/registry/catalogue.js';
import { type ErrorView, errorView } from '../../../src/spec/error-view.js';
import { LIVE } from '../../../src/spec/live.js';
import { recordBody } from '../../support/store-harness.js';

const HEALTH: HealthView = {
  at: '2026-01-01T00:00:00.000Z',
  connected: true,
  encoder: '',
  stream_time_ms: 65_000,
  bytes_received: 1,
  open_errors: [],
  copyright_check: 'on',
  video_codec: 'H.264',
  h264_level_idc: 31,
  width: 1280,
  height: 720,
  frame_rate: 30,
  frame_rate_class: 30,
  video_bitrate_kbps: 2_500,
  key_frame_interval_ms: 2_000,
  audio_codec: 'AAC LC',
  audio_bitrate_kbps: 128,
  loudness_lufs: -23,
  loudness_target_lufs: -23,
  picture: 'moving',
  sample_rate: 48_000,
  channels: 2,
};

const VIEW: BroadcastView = {
  id: '1',
  version: 1,
  status: 'UNPUBLISHED',
  stream_state: 'connected',
  goes_live_on_data: false,
  from: { id: '7' },
  video_id: '2',
  creation_time: '2026-01-01T00:00:00+0000',
  errors: { total: 0, open: 0, uncounted: 0 },
};

const NOW_MS = 1_700_000_100_000;

const record = (error_code: number, over: Partial<ErrorView> = {}): ErrorView => ({
  ...errorView(
    { ...recordBody('1', 1, error_code, { error_code }), sequence: 1, revision: 1 },
    { broadcastId: '1', videoId: '10' },
  ),
  ...over,
});

const verdictOf = (id: string, records: readonly ErrorView[], view = VIEW, health: HealthView | undefined = HEALTH) =>
  verdicts(records, health, view, NOW_MS).find(({ row }) => row.id === id);

test('each error code of a stream belongs to exactly one row; a refused publish belongs to none', () => {
  const shown = SPEC_ROWS.flatMap((row) => row.codes).sort((a, b) => a - b);
  const wanted = CATALOGUE.filter(({ judgedBy, source }) => judgedBy !== 'file' && source !== 'publish');
  expect(shown).toEqual(wanted.map(({ code }) => code));
});

test('a rule beyond the published document never colors the row of a requirement', () => {
  const isBeyond = new Map(CATALOGUE.map(({ code, analysis }) => [code, analysis]));
  const mixed = SPEC_ROWS.filter(({ codes }) => new Set(codes.map((code) => isBeyond.get(code))).size > 1);
  expect(mixed.map(({ id }) => id)).toEqual([]);
  const underflow = record(6223, { severity: 'warning' });
  expect(verdictOf('video-bitrate', [underflow])).toMatchObject({ verdict: 'pass', observed: '2,500 kbps' });
  expect(verdictOf('bit-stream', [underflow])?.verdict).toBe('warn');
  const { picture, loudness_lufs, ...unanalyzed } = HEALTH;
  expect(verdictOf('bit-stream', [], VIEW, unanalyzed)?.verdict).toBe('unjudged');
});

test('a value whose window still fills is being checked, and later has no data', () => {
  const { video_bitrate_kbps, ...first } = HEALTH;
  const at = (stream_time_ms: number) => verdictOf('video-bitrate', [], VIEW, { ...first, stream_time_ms });
  expect(at(3_000)).toMatchObject({ verdict: 'unjudged', observed: 'Checking…' });
  expect(at(60_000)).toMatchObject({ verdict: 'unjudged', observed: undefined });
});

test('a value out of range has no tick before its record is raised', () => {
  const at = (video_bitrate_kbps: number) => verdictOf('video-bitrate', [], VIEW, { ...HEALTH, video_bitrate_kbps });
  expect(at(9_000)).toMatchObject({ verdict: 'unjudged', observed: '9,000 kbps' });
  expect(at(4_000)?.verdict).toBe('pass');
});

test.each(LIVE.profiles.map((profile) => [profile.name, profile] as const))(
  'the bitrate bound of %s is the published one',
  (name, profile) => {
    const health = { ...HEALTH, width: profile.width, height: profile.height, frame_rate_class: profile.fps ?? 30 };
    const { min, max } = profile.videoBitrateKbps;
    const format = new Intl.NumberFormat('en');
    expect(verdictOf('video-bitrate', [], VIEW, health)).toMatchObject({
      bound: `${format.format(min)} to ${format.format(max)} kbps (${name})`,
      gauge: { value: 2_500, min, max },
    });
  },
);

test('every row of a healthy stream passes and has a value', () => {
  const rows = verdicts([], HEALTH, VIEW, NOW_MS);
  expect(rows.filter(({ verdict }) => verdict !== 'pass').map(({ row }) => row.id)).toEqual([]);
  expect(rows.filter(({ observed }) => observed === undefined).map(({ row }) => row.id)).toEqual([]);
});

test('the gauge of an overdue key frame matches its observed value', () => {
  const overdue = record(6208, { unit: 'ms', worst: 4_070 });
  expect(verdictOf('key-frame-interval', [overdue])).toMatchObject({
    observed: '4.07 s',
    gauge: { value: 4_070, min: 0, max: 4_000 },
    verdict: 'fail',
  });
});

test.each([
  ['idle', 'Not checked: no reference content'],
  ['unavailable', 'Not checked: ffmpeg has no chromaprint muxer'],
] as const)('says that nothing is compared while the detector is %s', (copyright_check, bound) => {
  expect(verdictOf('copyright', [], VIEW, { ...HEALTH, copyright_check })).toMatchObject({
    verdict: 'unjudged',
    bound,
  });
});

test('rows without data have no verdict', () => {
  const { video_bitrate_kbps, ...first } = HEALTH;
  expect(verdictOf('video-bitrate', [], VIEW, first)?.verdict).toBe('unjudged');
  expect(verdicts([], undefined, VIEW, NOW_MS).every(({ verdict }) => verdict === 'unjudged')).toBe(true);
});

test.each([
  ['error', 'fail'],
  ['warning', 'warn'],
  ['info', 'pass'],
] as const)('an open record of severity %s sets only its row to %s', (severity, verdict) => {
  const rows = verdicts([record(6304, { severity })], HEALTH, VIEW, NOW_MS);
  expect(rows.filter((each) => each.verdict !== 'pass').map(({ row }) => row.id)).toEqual(
    verdict === 'pass' ? [] : ['channels'],
  );
  expect(rows.find(({ row }) => row.id === 'channels')?.verdict).toBe(verdict);
});

test('a cleared record counts only after the end of the broadcast', () => {
  const cleared = record(6304, { cleared_time: '2023-11-14T22:13:30.000Z' });
  expect(verdictOf('channels', [cleared])?.verdict).toBe('pass');
  expect(verdictOf('channels', [cleared], { ...VIEW, status: 'VOD' })?.verdict).toBe('fail');
});

test('a row without a value shows its text only while it passes', () => {
  expect(verdictOf('recording', [])).toMatchObject({ verdict: 'pass', observed: 'recording' });
  expect(verdictOf('recording', [record(6505, { unit: '' })])).toMatchObject({ verdict: 'fail', observed: undefined });
});

test('a broadcast that never began passes no row', () => {
  const canceled = verdicts([], undefined, { ...VIEW, status: 'SCHEDULED_CANCELED' }, NOW_MS);
  expect(new Set(canceled.map(({ verdict }) => verdict))).toEqual(new Set(['unjudged']));
});

test('a row without a verdict in an ended broadcast does not pass', () => {
  const over: BroadcastView = { ...VIEW, status: 'VOD', broadcast_start_time: '2023-11-14T22:00:00+0000' };
  const byRow = (view: BroadcastView) =>
    Object.fromEntries(verdicts([record(6208)], undefined, view, NOW_MS).map(({ row, verdict }) => [row.id, verdict]));
  expect(byRow({ ...over, judged_codes: [6201, 6208, 6304] })).toMatchObject({
    'video-codec': 'pass',
    channels: 'pass',
    'key-frame-interval': 'fail',
    'video-bitrate': 'unjudged',
    'sample-rate': 'unjudged',
  });
  expect(Object.values(byRow(over)).filter((verdict) => verdict === 'pass')).toEqual([]);
});

test('the key frame row shows the time since the last key frame once it exceeds the last interval', () => {
  const observed = (since_key_frame_ms: number) =>
    verdictOf('key-frame-interval', [], VIEW, { ...HEALTH, since_key_frame_ms })?.observed;
  expect(observed(1_200)).toBe('2 s');
  expect(observed(3_300)).toBe('3.3 s');
});

test('the key frame row shows the overdue time instead of the last good interval', () => {
  const overdue = record(6208, { worst: 7_900, unit: 'ms' });
  expect(verdictOf('key-frame-interval', [overdue])).toMatchObject({ observed: '7.9 s', verdict: 'fail' });
});

test('a point event counts for a minute', () => {
  const point = (agoMs: number): ErrorView => {
    const at = new Date(NOW_MS - agoMs).toISOString();
    return record(6404, { severity: 'warning', timestamp: at, cleared_time: at });
  };
  expect(verdictOf('timestamps', [point(59_000)])?.verdict).toBe('warn');
  expect(verdictOf('timestamps', [point(61_000)])?.verdict).toBe('pass');
});

test('the list counts the records that the table counts, running and ended', () => {
  const at = (agoMs: number) => new Date(NOW_MS - agoMs).toISOString();
  const held = [
    record(6208),
    record(6404, { timestamp: at(30_000), cleared_time: at(30_000) }),
    record(6304, { severity: 'warning', timestamp: at(90_000), cleared_time: at(80_000) }),
    record(6217, { severity: 'info' }),
  ];
  const inTable = (view: BroadcastView) => {
    const records = verdicts(held, HEALTH, view, NOW_MS).flatMap((row) => row.records);
    const count = (severity: string) => records.filter((each) => each.severity === severity).length;
    return { errors: count('error'), warnings: count('warning') };
  };
  expect(openCounts(held, undefined, NOW_MS)).toEqual(inTable(VIEW));
  expect(inTable(VIEW)).toEqual({ errors: 2, warnings: 0 });
  const over: BroadcastView = { ...VIEW, status: 'VOD', errors: { total: 4, open: 0, uncounted: 0 } };
  const byId = new Map(held.map((each, index) => [String(index), each]));
  expect(finalCounts(byId, over)).toEqual(inTable(over));
  expect(inTable(over)).toEqual({ errors: 2, warnings: 1 });
  expect(finalCounts(new Map([...byId].slice(1)), over)).toBeUndefined();
});

test('a row keeps its value after the end, and the worst one if it failed, beside the bound of its profile', () => {
  const over: BroadcastView = {
    ...VIEW,
    status: 'VOD',
    broadcast_start_time: '2023-11-14T22:00:00+0000',
    end_time: '2023-11-14T22:10:00+0000',
    judged_codes: [6210, 6211, 6304, 6501],
  };
  const records = [
    record(6208, { unit: 'ms', observed: 4_100, worst: 5_000, limit: 4_000, cleared_time: '2023-11-14T22:01:00.000Z' }),
    record(6208, { unit: 'ms', observed: 4_100, worst: 8_330, limit: 4_000, cleared_time: '2023-11-14T22:09:00.000Z' }),
    record(6505, { unit: '', worst: 'The disk of the server is full, so that nothing is recorded.' }),
  ];
  const last = { ...HEALTH, width: 1_920, height: 1_080, video_bitrate_kbps: 4_200 };
  expect(verdictOf('key-frame-interval', records, over, last)).toMatchObject({ verdict: 'fail', observed: '8.33 s' });
  expect(verdictOf('recording', records, over, last)).toMatchObject({ verdict: 'fail', observed: undefined });
  expect(verdictOf('video-bitrate', records, over, last)).toMatchObject({
    verdict: 'pass',
    observed: '4,200 kbps',
    bound: '3,000 to 6,000 kbps (1080p at 30 FPS)',
  });
  expect(verdictOf('duration', records, over, last)).toMatchObject({ verdict: 'pass', observed: '10:00' });
  expect(verdictOf('sample-rate', records, over, last)).toMatchObject({ verdict: 'unjudged', observed: '48 kHz' });
  const { copyright_check, ...unchecked } = last;
  expect(verdictOf('copyright', [], { ...over, judged_codes: [6602] }, unchecked)).toMatchObject({
    verdict: 'unjudged',
    bound: 'your own content',
  });
});

test('the level of sound has no verdict where it is not measured', () => {
  const { loudness_lufs, channel_lufs, ...unanalyzed } = HEALTH;
  expect(verdictOf('audio-level', [], VIEW, unanalyzed)).toMatchObject({ verdict: 'unjudged', observed: undefined });
  expect(verdictOf('audio-level', [], VIEW, HEALTH)?.verdict).toBe('pass');
});

test('the loudness has a verdict only where a target is set, and shown beside it', () => {
  const { loudness_target_lufs, ...free } = HEALTH;
  expect(verdictOf('loudness', [], VIEW, free)).toMatchObject({ verdict: 'unjudged', observed: '-23 LUFS' });
  expect(verdictOf('loudness', [], VIEW, HEALTH)).toMatchObject({ verdict: 'pass', bound: '-23 LUFS, within 3 LU' });
});

test('a track that is not there yet, and a level before the frame rate has settled, have no tick', () => {
  const { audio_codec, ...silent } = HEALTH;
  expect(verdictOf('tracks', [], VIEW, silent)).toMatchObject({ verdict: 'unjudged', observed: 'video only' });
  const { frame_rate_class, ...unsettled } = { ...HEALTH, h264_level_idc: 42 };
  expect(verdictOf('level', [], VIEW, unsettled)).toMatchObject({
    verdict: 'unjudged',
    bound: 'at most 4.1, 4.2 at 60 fps',
  });
  expect(verdictOf('level', [], VIEW, { ...unsettled, frame_rate_class: 60 })?.verdict).toBe('pass');
});

test('the time since the first key frame is no interval', () => {
  const { key_frame_interval_ms, ...first } = { ...HEALTH, stream_time_ms: 1_000 };
  const at = (since_key_frame_ms: number) =>
    verdictOf('key-frame-interval', [], VIEW, { ...first, since_key_frame_ms });
  expect(at(1_000)).toMatchObject({ verdict: 'unjudged', observed: 'Checking…' });
  expect(at(4_500)).toMatchObject({ verdict: 'unjudged', observed: '4.5 s' });
});

test('a failing key frame row shows the time since the last one, not the worst of before', () => {
  const open = record(6208, { unit: 'ms', worst: 8_330 });
  const seen = { ...HEALTH, since_key_frame_ms: 4_500 };
  expect(verdictOf('key-frame-interval', [open], VIEW, seen)).toMatchObject({ verdict: 'fail', observed: '4.5 s' });
});

test('the duration covers all connections of the broadcast', () => {
  expect(verdictOf('duration', [])?.observed).toBe('1:05');
  const live: BroadcastView = {
    ...VIEW,
    status: 'LIVE',
    broadcast_start_time: new Date(NOW_MS - 3_725_000).toISOString(),
  };
  expect(verdictOf('duration', [], live)?.observed).toBe('1:02:05');
});

test('a record has its title from the error catalogue', () => {
  expect(titleOf({ error_code: 6208, error_type: 'X' })).toBe('Key frames too far apart');
  expect(titleOf({ error_code: 1, error_type: 'X' })).toBe('X');
});

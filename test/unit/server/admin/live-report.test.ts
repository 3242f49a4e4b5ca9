/** The report on a broadcast: averages, shares of time, causes; as text and as HTML. */

import { htmlReport, textReport } from '../../../../src/cli/admin/live-report.js';
import type { LiveVideoData } from '../../../../src/lifecycle/documents.js';
import type { StoredObject } from '../../../../src/ports/index.js';
import { liveReport } from '../../../../src/report/report.js';
import type { StoredRecord } from '../../../../src/spec/error-record.js';

const T0 = Date.UTC(2026, 0, 15, 12);
const packet = { kind: 'video', decodeTimeMs: 0, presentationTimeMs: 0, messageNumber: 0, byteOffset: 0 } as const;

const data: LiveVideoData = {
  ownerId: '1',
  ownerKind: 'page',
  videoId: '8',
  status: 'VOD',
  goLiveOnData: true,
  title: 'News & <weather>',
  keyVersion: 1,
  stopOnDeleteStream: false,
  stream: 'ended',
  broadcastStartMs: T0,
  endedMs: T0 + 100_000,
};
const live: StoredObject<LiveVideoData> = {
  id: '7',
  kind: 'live_video',
  createdMs: T0 - 5000,
  updatedMs: T0,
  version: 1,
  data,
};

function record(code: number, fromS: number, untilS: number | null, more: Partial<StoredRecord> = {}): StoredRecord {
  return {
    id: `${code}_${fromS}`,
    error_code: code,
    error_subcode: 'S',
    error_type: `TYPE_${code}`,
    description: `[${code}] text`,
    severity: 'error',
    timestampMs: T0 + fromS * 1000,
    stream_time_ms: 0,
    observed: 1,
    worst: 1,
    limit: 1,
    unit: '',
    clause: '',
    remediation: 'Set the key frame interval to 2 seconds.',
    cleared_time_ms: untilS === null ? null : T0 + untilS * 1000,
    count: 1,
    evidence: { first: packet, last: packet },
    source: 'stream',
    sequence: 1,
    revision: 1,
    ...more,
  };
}

const series = {
  step: 1,
  filled: 1,
  points: [
    [T0, 2000, 1900, 2100, 128, 30, 2000, 1280, 720, 30],
    [T0 + 2000, 3000, 2900, 3100, null, 29.5, 4000, 1280, 720, 30],
  ],
};

const report = liveReport({
  live,
  series,
  nowMs: T0 + 500_000,
  records: [record(6208, 10, 30), record(6208, 20, 40, { count: 2 }), record(6402, 90, null, { cause: 6901 })],
});

test('the share of a rule is the union of its records, within the broadcast', () => {
  expect(report).toMatchObject({
    duration_ms: 100_000,
    ended: '2026-01-15T12:01:40.000Z',
    specifications: ['published'],
  });
  expect(report.rules).toEqual([
    expect.objectContaining({ error_code: 6208, times: 3, broken_ms: 30_000, broken_share: 0.3, is_open: false }),
    expect.objectContaining({ error_code: 6402, broken_ms: 10_000, broken_share: 0.1, is_open: true, causes: [6901] }),
  ]);
});

test('the result counts errors and warnings apart, and says how the broadcast ended', () => {
  const result = (more: Partial<LiveVideoData>, ...records: StoredRecord[]) =>
    liveReport({ live: { ...live, data: { ...data, ...more } }, series, nowMs: T0, records });
  const found = [
    record(6208, 10, 30),
    record(6402, 20, 30),
    record(6404, 30, 40),
    record(6209, 5, 9, { severity: 'warning' }),
    record(6217, 5, 9, { severity: 'info' }),
    record(6504, 5, 9, { source: 'publish' }),
  ];
  const lost = result({ streamSinceMs: T0 + 160_000 }, ...found);
  expect(htmlReport({ ...lost })).toContain('<section class="verdict fail">Connection lost. 3 errors, 1 warning; ');
  expect(textReport({ ...lost })).toMatch(/^Result +Connection lost\. 3 errors, 1 warning$/m);
  const stopped = result({ streamSinceMs: T0 + 160_000, isStopped: true }, ...found.slice(3, 5));
  expect(htmlReport({ ...stopped })).toContain('<section class="verdict warn">Ended by the encoder. 1 warning.');
  expect(htmlReport({ ...result({ streamSinceMs: T0 + 100_000 }) })).toContain(
    '<section class="verdict pass">Ended by the owner. No errors.',
  );
});

test('has when each rule was broken, joined where it lies close together, and values over time', () => {
  expect(report.rules.map(({ spans }) => spans)).toEqual([[[10_000, 40_000]], [[90_000, 100_000]]]);
  expect(report.timeline).toEqual({
    columns: ['at_ms', 'video_kbps', 'audio_kbps', 'frame_rate', 'key_frame_interval_ms'],
    points: [
      [0, 2_000, 128, 30, 2_000],
      [2_000, 3_000, null, 29.5, 4_000],
    ],
  });
  const many = {
    ...series,
    points: Array.from({ length: 1_000 }, (_, at) => [T0 + at * 100, at, at, at, at, at, 2_000, 1, 1, 30]),
  };
  const { timeline } = liveReport({ live, series: many, records: [], nowMs: T0 });
  expect(timeline?.points).toHaveLength(200);
  expect(timeline?.points[1]).toEqual([500, 7, 7, 5, 2_000]);
});

test('the page has titles, the encoder and its settings, charts and a picture, all in itself', () => {
  const stream = {
    encoder: 'OBS Studio 32.0.0',
    width: 1_280,
    height: 720,
    frame_rate: 29.97,
    video_codec: 'H.264',
    h264_level_idc: 31,
    audio_codec: 'AAC-LC',
    sample_rate: 48_000,
    channels: 2,
  };
  const titles = new Map([[6208, 'Key frames too far apart']]);
  const picture = 'data:image/jpeg;base64,/9j/';
  const sources = { live, series, nowMs: T0, records: [record(6208, 10, 30)], stream, titles, picture };
  const html = htmlReport({ ...liveReport(sources) });
  expect(html).toContain('<b class="fail">Key frames too far apart</b>');
  expect(html).not.toContain('TYPE_6208');
  expect(html).toContain('<td>Video codec</td><td>H.264, level 3.1</td>');
  expect(html).toContain('<td>Audio</td><td>AAC-LC, 48 kHz, stereo</td>');
  expect(html).toContain('Video bitrate</b> 2,000 to 3,000 kbps, allowed 1,500 to 4,000 kbps');
  expect(html).toContain(`<img src="${picture}"`);
  // The time of the start is written in one way.
  expect(html.match(/2026-01-15 12:00:00 UTC/g)?.length).toBeGreaterThan(1);
  expect(html).not.toMatch(/\dT\d|TZ|\.\d{3}Z/);
  expect(htmlReport({ ...liveReport({ ...sources, picture: 'data:image/svg+xml,<svg>' }) })).not.toContain('<img');
});

test('averages leave out what was not measured', () => {
  expect(report.averages).toEqual({
    video_kbps: { mean: 2500, min: 2000, max: 3000 },
    audio_kbps: { mean: 128, min: 128, max: 128 },
    frame_rate: { mean: 29.8, min: 29.5, max: 30 },
    key_frame_interval_ms: { mean: 3000, min: 2000, max: 4000 },
  });
});

test('a broadcast without records and samples has no errors and no averages', () => {
  const empty = liveReport({ live, series: { step: 1, filled: 0, points: [] }, records: [], nowMs: T0 });
  expect(empty).toMatchObject({ rules: [], averages: {} });
  expect(textReport({ ...empty })).toMatch(/No errors\.$/);
});

test('the text names each rule, its share and each remedy once', () => {
  const text = textReport({ ...report });
  expect(text).toMatch(/6208 TYPE_6208 +error +3 +30\.0 s +30\.0 %/);
  expect(text).toMatch(/6402 TYPE_6402 +error +1 +10\.0 s, open +10\.0 % +6901/);
  expect(text.match(/Set the key frame interval/g)).toHaveLength(1);
  expect(text).toContain('6208, 6402: Set the key frame');
});

test('the page escapes texts and refers to no other file', () => {
  const html = htmlReport({ ...report });
  expect(html).toContain('<h1>Report: News &amp; &lt;weather&gt;</h1>');
  expect(html).toContain('broken 30.0 s of 1 min 40 s');
  expect(html).not.toMatch(/<script|src=|href=|url\(|style=/);
});

test('both encoders stand side by side, with what each of them broke', () => {
  expect(htmlReport({ ...report })).not.toContain('Two encoders');
  const health = { atMs: T0, connected: false, streamTimeMs: 0, bytesReceived: 1, openErrors: [] };
  const pair = liveReport({
    live,
    series,
    nowMs: T0,
    records: [
      record(6208, 10, 30, { input_stream: '71' }),
      record(6304, 20, 60, { input_stream: '72' }),
      record(6507, 30, 30, { input_stream: '72', severity: 'warning', count: 2 }),
      record(6508, 30, 40, { input_stream: '72', severity: 'warning' }),
    ],
    inputs: [
      { id: '71', isOnAir: false, health: { ...health, encoder: 'OBS', width: 1280, height: 720, frameRate: 30.01 } },
      { id: '72', isOnAir: true },
    ],
  });
  expect(pair.inputs).toEqual([
    {
      id: '71',
      input: 'primary',
      on_air: false,
      connected: false,
      encoder: 'OBS',
      sent: '1280×720, 30 fps',
      times_put_on_air: 0,
      errors: 1,
      warnings: 0,
      broken_ms: 20_000,
    },
    {
      id: '72',
      input: 'backup',
      on_air: true,
      connected: false,
      times_put_on_air: 2,
      errors: 1,
      warnings: 1,
      broken_ms: 40_000,
    },
  ]);
  const text = textReport({ ...pair });
  expect(text).toMatch(/Two encoders:\nInput +Primary +Backup\n/);
  expect(text).toMatch(/^State +on air at the end$/m);
  expect(text).toMatch(/^Records +1 error +1 error, 1 warning$/m);
  expect(htmlReport({ ...pair })).toContain('<tr><td>Put on air</td><td>0 times</td><td>2 times</td></tr>');
});

test('compares the broadcast with the last ones of its owner', () => {
  expect(textReport({ ...report })).not.toContain('Compared');
  const before = { ...live, id: '6', data: { ...data, title: 'Yesterday', endedMs: T0 + 60_000 } };
  const compared = liveReport({
    live,
    series,
    nowMs: T0,
    records: [record(6208, 10, 30), record(6402, 20, 40), record(6901, 0, 90, { severity: 'warning' })],
    previous: [{ live: before, series, records: [] }],
  });
  expect(compared.compared).toMatchObject([
    { id: '7', rules_broken: 2, broken_ms: 30_000, duration_ms: 100_000, video_kbps: 2500 },
    { id: '6', title: 'Yesterday', rules_broken: 0, broken_ms: 0, duration_ms: 60_000 },
  ]);
  expect(htmlReport({ ...compared })).toContain('<td>Yesterday</td>');
  expect(textReport({ ...compared })).toMatch(/Yesterday +2026-01-15 12:00:00 UTC +1 min 00 s +0 +0\.0 s/);
});

test('names each forward with its target and its state in words', () => {
  expect(textReport({ ...report })).not.toContain('Forwards');
  expect(htmlReport({ ...report })).not.toContain('Forwards');
  const row = {
    id: '9',
    name: 'Origin & <b>',
    target: 'live.example.com:1936',
    state: 'behind',
    text: 'Sending to it',
  };
  const forwards = [{ ...row, bytes_sent: 2_500_000, dropped_ms: 1_500 }];
  const forwarded = liveReport({ live, series, records: [], nowMs: T0, forwards });
  expect(forwarded.forwards).toEqual(forwards);
  expect(textReport({ ...forwarded })).toMatch(/live\.example\.com:1936 +Sending to it +2\.5 MB +1\.5 s/);
  expect(htmlReport({ ...forwarded })).toContain(
    '<td>Origin &amp; &lt;b&gt;</td><td>live.example.com:1936</td><td>Sending to it</td><td>2.5 MB</td><td>1.5 s</td>',
  );
});

/** The NetStream codes of notices, close reasons and refusals. */
import {
  broadcastOver,
  LEASE_LOST,
  SHUT_DOWN,
  TAKEN_OVER,
} from '../../../../src/broadcasts/publisher/close-reasons.js';
import type { RefusalReason } from '../../../../src/broadcasts/publisher/refusals.js';
import { closeStatus, noticeStatus, refusalCode } from '../../../../src/ingest/rtmp/status.js';
import { judgeStream } from '../../../rules/harness.js';

const { changes } = judgeStream({ durationMs: 1000, channels: 1 });
const record = changes.find(({ body }) => body.error_code === 6304)?.body;
if (record === undefined) throw new Error('no 6304');

const fields = {
  description: record.description,
  error_code: 6304,
  error_subcode: record.error_subcode,
  error_type: record.error_type,
  severity: record.severity,
  timestamp: new Date(record.timestampMs).toISOString(),
  stream_time_ms: record.stream_time_ms,
  broadcast_id: '7',
  id: record.id,
};

test('sends the record as a warning while it is open and as a status when it is cleared', () => {
  expect(noticeStatus({ kind: 'violation', liveVideoId: '7', record })).toEqual({
    level: 'warning',
    code: 'NetStream.Publish.Violation',
    ...fields,
  });
  expect(noticeStatus({ kind: 'cleared', liveVideoId: '7', record })).toEqual({
    level: 'status',
    code: 'NetStream.Publish.Cleared',
    ...fields,
  });
});

test.each([
  ['lost lease', LEASE_LOST, 'NetStream.Publish.Rejected'],
  ['take-over', TAKEN_OVER, 'NetStream.Publish.BadName'],
  ['shutdown', SHUT_DOWN, 'NetStream.Publish.Rejected'],
  ['end by the owner', broadcastOver('7', undefined, undefined), 'NetStream.Publish.Rejected'],
])('closes with an error and its description on a %s', (_what, reason, code) => {
  expect(closeStatus(reason)).toEqual({ level: 'error', code, description: reason.description });
});

test('sends the record of the violation that ended the broadcast', () => {
  const reason = { code: 6304, type: 'AUDIO_CHANNELS', text: 'over' };
  expect(closeStatus(broadcastOver('7', reason, record))).toEqual({
    level: 'error',
    code: 'NetStream.Publish.Rejected',
    ...fields,
  });
});

test.each([
  ['pass', 'status'],
  ['warn', 'status'],
  ['fail', 'error'],
] as const)('sends the preflight result %s with level %s', (result, level) => {
  const verdict = { result, atMs: 5, streamTimeMs: 20_000, rules: [] };
  const description = 'Preflight done.';
  expect(
    closeStatus({ kind: 'preflight-done', liveVideoId: '7', verdict, description, cause: 'preflight done' }),
  ).toEqual({
    level,
    code: 'NetStream.Publish.Preflight',
    description,
    result,
    verdict: JSON.stringify(verdict),
    broadcast_id: '7',
  });
});

test.each<[RefusalReason, string]>([
  ['unknown-key', 'BadName'],
  ['already-publishing', 'BadName'],
  ['already-in-preflight', 'BadName'],
  ['too-many-wrong-keys', 'Denied'],
  ['denied-1363120', 'Denied'],
  ['store-away', 'Rejected'],
  ['draining', 'Rejected'],
  ['no-new-live-video', 'Rejected'],
  ['ended', 'Rejected'],
  ['too-many-publishers-of-owner', 'Rejected'],
  ['preflight-after-publish', 'Rejected'],
  ['internal-error', 'Rejected'],
])('maps the refusal %s to %s', (reason, code) => {
  expect(refusalCode(reason)).toBe(`NetStream.Publish.${code}`);
});

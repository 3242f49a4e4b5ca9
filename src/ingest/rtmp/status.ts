/** Maps notices, close reasons and refusals of broadcasts to RTMP onStatus information objects. */
import type { CloseReason } from '../../broadcasts/publisher/close-reasons.js';
import type { RecordNotice } from '../../broadcasts/publisher/publisher.js';
import type { RefusalReason } from '../../broadcasts/publisher/refusals.js';
import type { StatusInfo } from '../../rtmp/messages/command.js';
import type { RecordBody } from '../../spec/error-record.js';

const REJECTED = 'NetStream.Publish.Rejected';
const BAD_NAME = 'NetStream.Publish.BadName';
const DENIED = 'NetStream.Publish.Denied';

function recordStatus(liveVideoId: string, body: RecordBody, level: StatusInfo['level'], code: string): StatusInfo {
  return {
    level,
    code,
    description: body.description,
    error_code: body.error_code,
    error_subcode: body.error_subcode,
    error_type: body.error_type,
    severity: body.severity,
    timestamp: new Date(body.timestampMs).toISOString(),
    stream_time_ms: body.stream_time_ms,
    broadcast_id: liveVideoId,
    id: body.id,
  };
}

export function noticeStatus({ kind, liveVideoId, record }: RecordNotice): StatusInfo {
  return kind === 'cleared'
    ? recordStatus(liveVideoId, record, 'status', 'NetStream.Publish.Cleared')
    : recordStatus(liveVideoId, record, 'warning', 'NetStream.Publish.Violation');
}

export function closeStatus(reason: CloseReason): StatusInfo {
  const { description } = reason;
  switch (reason.kind) {
    case 'preflight-done':
      return {
        level: reason.verdict.result === 'fail' ? 'error' : 'status',
        code: 'NetStream.Publish.Preflight',
        description,
        result: reason.verdict.result,
        verdict: JSON.stringify(reason.verdict),
        broadcast_id: reason.liveVideoId,
      };
    case 'ended':
      return reason.record === undefined
        ? { level: 'error', code: REJECTED, description }
        : recordStatus(reason.liveVideoId, reason.record, 'error', REJECTED);
    case 'taken-over':
      return { level: 'error', code: BAD_NAME, description };
    case 'lease-lost':
    case 'retuned':
    case 'shut-down':
    case 'idle':
    case 'fault':
      return { level: 'error', code: REJECTED, description };
  }
}

export function refusalCode(reason: RefusalReason): string {
  switch (reason) {
    case 'unknown-key':
    case 'already-publishing':
    case 'already-in-preflight':
      return BAD_NAME;
    case 'too-many-wrong-keys':
      return DENIED;
    case 'store-away':
    case 'no-new-live-video':
    case 'ended':
    case 'retuning':
    case 'too-many-publishers-of-owner':
    case 'preflight-after-publish':
    case 'internal-error':
    case 'draining':
    case 'loop':
      return REJECTED;
    default:
      return DENIED;
  }
}

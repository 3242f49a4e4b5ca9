/**
 * What is said to the encoder while it broadcasts: a violation when it is raised, a clearing when it is over, at most one
 * message a second for each rule. What comes faster waits, and the latest word wins.
 */
import type { StreamJudge } from '../broadcast/judge.js';
import type { RecordBody, RecordChange } from '../spec/error-record.js';
import { INGEST_LIMITS } from './limits.js';

export interface StatusInfo {
  readonly level: 'status' | 'warning' | 'error';
  readonly code: string;
  readonly description: string;
  readonly [field: string]: string | number | boolean;
}

/** The fields of a pushed record (DESIGN section 3, RTMP). */
export function violationStatus(
  broadcastId: string,
  body: RecordBody,
  level: StatusInfo['level'],
  code: string,
): StatusInfo {
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
    broadcast_id: broadcastId,
    id: body.id,
  };
}

export class StatusPusher {
  readonly #broadcastId: string;
  readonly #send: (info: StatusInfo) => void;
  readonly #lastPushMs = new Map<number, number>();
  readonly #waiting = new Map<number, RecordChange>();
  /** Codes of which this connection was told, and nothing since. */
  readonly #told = new Set<number>();
  readonly #leftOpen: readonly number[];

  /** `leftOpen`: codes of records that an earlier connection left open. */
  constructor(broadcastId: string, send: (info: StatusInfo) => void, leftOpen: readonly number[] = []) {
    this.#broadcastId = broadcastId;
    this.#send = send;
    this.#leftOpen = leftOpen;
  }

  /** When this connection's own data flows: what was left open, and was not cleared by it. */
  pushLeftOpen(judge: Pick<StreamJudge, 'health' | 'lastRecord'>, nowMs: number): void {
    const { openErrors } = judge.health();
    for (const code of this.#leftOpen.filter((each) => openErrors.includes(each))) {
      const body = judge.lastRecord(code);
      if (body !== undefined) this.push({ change: 'counted', body }, nowMs);
    }
  }

  /** Pushes what may be pushed now; the rest goes with a later `flush`. Informational records are not pushed. */
  push(change: RecordChange, nowMs: number): void {
    const code = change.body.error_code;
    if (change.body.severity === 'info') return;
    // Counted once more: news only when this connection was told that it is over, or was never told of it.
    if (change.change === 'counted' && this.#told.has(code)) {
      if (this.#waiting.get(code)?.change === 'cleared') this.#waiting.delete(code);
      return;
    }
    const last = this.#lastPushMs.get(code);
    if (last !== undefined && nowMs - last < INGEST_LIMITS.pushIntervalMs) {
      this.#waiting.set(code, change);
      return;
    }
    this.#waiting.delete(code);
    this.#lastPushMs.set(code, nowMs);
    if (change.change === 'cleared') this.#told.delete(code);
    else this.#told.add(code);
    this.#send(
      change.change === 'cleared'
        ? violationStatus(this.#broadcastId, change.body, 'status', 'NetStream.Publish.Cleared')
        : violationStatus(this.#broadcastId, change.body, 'warning', 'NetStream.Publish.Violation'),
    );
  }

  flush(nowMs: number): void {
    if (this.#waiting.size === 0) return;
    for (const [code, change] of this.#waiting) {
      if (nowMs - (this.#lastPushMs.get(code) ?? 0) >= INGEST_LIMITS.pushIntervalMs) this.push(change, nowMs);
    }
  }
}

/**
 * What is said to the encoder while it broadcasts: a violation when it is raised, a clearing when it is over, at most one
 * notice a second for each rule. What comes faster waits, and the latest change wins.
 */
import type { StreamJudge } from '../broadcast/judge.js';
import type { RecordChange } from '../spec/error-record.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { RecordNotice } from './publisher.js';

export class RecordNotifier {
  readonly #liveVideoId: string;
  readonly #send: (notice: RecordNotice) => void;
  readonly #lastSentMs = new Map<number, number>();
  readonly #waiting = new Map<number, RecordChange>();
  /** Codes of which this connection was told, and nothing since. */
  readonly #told = new Set<number>();
  readonly #leftOpen: readonly number[];

  /** `leftOpen`: codes of records that an earlier connection left open. */
  constructor(liveVideoId: string, send: (notice: RecordNotice) => void, leftOpen: readonly number[] = []) {
    this.#liveVideoId = liveVideoId;
    this.#send = send;
    this.#leftOpen = leftOpen;
  }

  /** When this connection's own data flows: what was left open, and was not cleared by it. */
  tellLeftOpen(judge: Pick<StreamJudge, 'health' | 'lastRecord'>, nowMs: number): void {
    const { openErrors } = judge.health();
    for (const code of this.#leftOpen.filter((each) => openErrors.includes(each))) {
      const body = judge.lastRecord(code);
      if (body !== undefined) this.tell({ change: 'counted', body }, nowMs);
    }
  }

  /** Sends what may be sent now; the rest goes with a later `flush`. Informational records are not sent. */
  tell(change: RecordChange, nowMs: number): void {
    const code = change.body.error_code;
    if (change.body.severity === 'info') return;
    // Counted once more: news only when this connection was told that it is over, or was never told of it.
    if (change.change === 'counted' && this.#told.has(code)) {
      if (this.#waiting.get(code)?.change === 'cleared') this.#waiting.delete(code);
      return;
    }
    const last = this.#lastSentMs.get(code);
    if (last !== undefined && nowMs - last < BROADCAST_LIMITS.noticeIntervalMs) {
      this.#waiting.set(code, change);
      return;
    }
    this.#waiting.delete(code);
    this.#lastSentMs.set(code, nowMs);
    const isCleared = change.change === 'cleared';
    if (isCleared) this.#told.delete(code);
    else this.#told.add(code);
    this.#send({
      kind: isCleared ? 'cleared' : 'violation',
      liveVideoId: this.#liveVideoId,
      record: change.body,
    });
  }

  flush(nowMs: number): void {
    if (this.#waiting.size === 0) return;
    for (const [code, change] of this.#waiting) {
      if (nowMs - (this.#lastSentMs.get(code) ?? 0) >= BROADCAST_LIMITS.noticeIntervalMs) this.tell(change, nowMs);
    }
  }
}

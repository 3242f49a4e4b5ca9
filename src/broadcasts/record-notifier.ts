/**
 * Notices to the encoder while it publishes: one when a violation is raised, one when it is cleared, at most one per
 * second and rule. A faster change waits, and the latest change wins.
 */
import type { StreamJudge } from '../judge/judge.js';
import type { RecordChange } from '../spec/error-record.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { EncoderChannel } from './publisher/publisher.js';

export class RecordNotifier {
  readonly #liveVideoId: string;
  readonly #encoder: Pick<EncoderChannel, 'notify'>;
  readonly #lastSentMs = new Map<number, number>();
  readonly #waiting = new Map<number, RecordChange>();
  /** Codes whose last notice on this connection was a violation. */
  readonly #notified = new Set<number>();
  readonly #leftOpen: readonly number[];

  /** `leftOpen`: codes of the records that an earlier connection left open. */
  constructor(liveVideoId: string, encoder: Pick<EncoderChannel, 'notify'>, leftOpen: readonly number[] = []) {
    this.#liveVideoId = liveVideoId;
    this.#encoder = encoder;
    this.#leftOpen = leftOpen;
  }

  /** Once data flows: sends the records left open earlier that the data has not cleared. */
  notifyLeftOpen(judge: Pick<StreamJudge, 'openErrors' | 'lastRecord'>, nowMs: number): void {
    if (this.#leftOpen.length === 0) return;
    const { openErrors } = judge;
    for (const code of this.#leftOpen.filter((each) => openErrors.includes(each))) {
      const body = judge.lastRecord(code);
      if (body !== undefined) this.notify({ change: 'counted', body }, nowMs);
    }
  }

  /** Sends the change, or holds it for a later `flush`. Informational records are not sent. */
  notify(change: RecordChange, nowMs: number): void {
    const code = change.body.error_code;
    if (change.body.severity === 'info') return;
    // A repeated count is sent only if the last notice was a clearing, or if there was none.
    if (change.change === 'counted' && this.#notified.has(code)) {
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
    if (isCleared) this.#notified.delete(code);
    else this.#notified.add(code);
    this.#encoder.notify({
      kind: isCleared ? 'cleared' : 'violation',
      liveVideoId: this.#liveVideoId,
      record: change.body,
    });
  }

  flush(nowMs: number): void {
    if (this.#waiting.size === 0) return;
    for (const [code, change] of this.#waiting) {
      if (nowMs - (this.#lastSentMs.get(code) ?? 0) >= BROADCAST_LIMITS.noticeIntervalMs) this.notify(change, nowMs);
    }
  }
}

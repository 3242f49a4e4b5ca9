/**
 * Delivers state transitions and error records to the operator's URL: signed, in order within each broadcast, at least
 * once. Nothing is queued in memory: error records are read from the log after a stored revision, transitions from a
 * stored list, so that a restart resumes where deliveries stopped. One process at a time delivers (it holds a lease).
 */
import { createHmac } from 'node:crypto';
import { callHttp } from '../lib/http-call.js';
import type { OwnerKind } from '../lifecycle/documents.js';
import {
  type Clock,
  type ForwardReport,
  LEASE,
  type Lease,
  type Log,
  type StateMessage,
  type Store,
  TOPIC,
} from '../ports/index.js';
import { type Item, Outbox, type WebhookEvent, webhookBody } from './outbox.js';

export interface WebhookOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly url: string;
  /** HMAC key of `X-Hub-Signature-256` and `webhook-signature`. */
  readonly secret: string | Uint8Array;
  /** The secret from before a rotation of the server key, while it is accepted: it stays that of `X-Hub-Signature-256`. */
  readonly previousSecret?: () => string | undefined;
  /** This process, as lease holder. */
  readonly holder: string;
  /** Edge of the broadcasts that were running when a process died: they may have undelivered events. */
  readonly running?: { readonly owner: string; readonly edge: string };
  readonly timing?: Partial<WebhookTiming>;
  /** Makes a delivery; absent: over HTTP. */
  readonly post?: typeof postEvent;
}

export interface WebhookTiming {
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** After this a delivery is dropped and logged, so that one broadcast does not block its queue forever. */
  readonly giveUpMs: number;
  readonly answerWithinMs: number;
  /** How often it polls the store for pending broadcasts and renews the lease. */
  readonly pollMs: number;
}

const TIMING: WebhookTiming = {
  firstRetryMs: 1_000,
  longestRetryMs: 300_000,
  giveUpMs: 3 * 86_400_000,
  answerWithinMs: 10_000,
  pollMs: 5_000,
};

const AT_ONCE = 8;
const LOOKED_AT = 1_000;

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #outbox: Outbox;
  readonly #timing: WebhookTiming;
  readonly #unsubscribe: (() => void)[];
  readonly #busy = new Map<string, Promise<void>>();
  readonly #retryAt = new Map<string, { readonly atMs: number; readonly failures: number; readonly sinceMs: number }>();
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #lease: Lease | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.store);
    this.#timing = { ...TIMING, ...options.timing };
    const { bus } = options.store;
    this.#unsubscribe = [
      bus.subscribe(TOPIC.state, (message) => void this.#noteMove(message as StateMessage)),
      bus.subscribe(TOPIC.forwardState, (message) => void this.#noteForward(message as ForwardReport)),
      bus.subscribe(TOPIC.records, (message) => void this.#note((message as { broadcastId: string }).broadcastId)),
    ];
    void this.#sweep();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const stop of this.#unsubscribe) stop();
    clearTimeout(this.#timer);
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    if (this.#lease) await this.#quietly('cannot release the webhook lease', () => this.#release());
  }

  async #release(): Promise<void> {
    if (this.#lease) await this.#options.store.leases.release(this.#lease);
  }

  async #noteMove(message: StateMessage): Promise<void> {
    await this.#quietly('cannot queue a state transition for the webhook', () =>
      this.#outbox.addMove(message, this.#options.clock.wallMs()),
    );
    this.#wake();
  }

  async #noteForward(report: ForwardReport): Promise<void> {
    await this.#quietly('cannot queue the state of a forward for the webhook', () =>
      this.#outbox.addForward(report, this.#options.clock.wallMs()),
    );
    this.#wake();
  }

  async #note(liveVideoId: string): Promise<void> {
    if (this.#busy.has(liveVideoId)) this.#again = true;
    await this.#quietly('cannot queue a broadcast for the webhook', () =>
      this.#outbox.note([liveVideoId], this.#options.clock.wallMs()),
    );
    this.#wake();
  }

  async #sweep(): Promise<void> {
    const { running, store, clock } = this.#options;
    if (running) {
      await this.#quietly('cannot read the running broadcasts', async () => {
        const page = await store.objects.page(running, { limit: 10_000 });
        const ids = page.entries.map((entry) => entry.member);
        await this.#outbox.note(ids, clock.wallMs());
      });
    }
    this.#wake();
  }

  #wake(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#closing.signal.aborted) return;
      if (this.#again) {
        this.#again = false;
        this.#wake();
        return;
      }
      this.#timer = setTimeout(() => this.#wake(), this.#nextLookMs());
      this.#timer.unref();
    });
  }

  #nextLookMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    const waits = [...this.#retryAt.values()].map((retry) => Math.max(0, retry.atMs - nowMs));
    return Math.min(this.#timing.pollMs, ...waits);
  }

  async #pump(): Promise<void> {
    await this.#quietly('cannot read the pending webhooks', async () => {
      if (!(await this.#holdsLease())) return;
      const waiting = await this.#outbox.waiting(LOOKED_AT);
      const nowMs = this.#options.clock.monotonicMs();
      for (const member of waiting) {
        if (this.#busy.size >= AT_ONCE) return;
        const due = (this.#retryAt.get(member)?.atMs ?? 0) <= nowMs;
        if (!due || this.#busy.has(member)) continue;
        const work = this.#deliverAll(member).finally(() => {
          this.#busy.delete(member);
          this.#wake();
        });
        this.#busy.set(member, work);
      }
    });
  }

  async #holdsLease(): Promise<boolean> {
    const ttlMs = this.#timing.pollMs * 3;
    const { store, holder } = this.#options;
    if (this.#lease && (await store.leases.renew(this.#lease, ttlMs))) return true;
    this.#lease = await store.leases.acquire(LEASE.webhook, holder, ttlMs);
    return this.#lease !== undefined;
  }

  /** Delivers all items of this broadcast, until none is left or a delivery fails. */
  async #deliverAll(liveVideoId: string): Promise<void> {
    await this.#quietly('webhook delivery of a broadcast failed', async () => {
      for (;;) {
        const items = await this.#outbox.next(liveVideoId);
        if (items.length === 0) {
          if (await this.#outbox.finish(liveVideoId, this.#options.clock.wallMs())) return;
          continue;
        }
        const owner = await this.#outbox.ownerOf(liveVideoId);
        for (const item of items) {
          if (this.#closing.signal.aborted) return;
          if (!(await this.#deliver(liveVideoId, item, owner))) return;
        }
      }
    });
  }

  /** False: the delivery failed and will be retried. */
  async #deliver(
    liveVideoId: string,
    item: Item,
    owner: { id: string; kind: OwnerKind | undefined },
  ): Promise<boolean> {
    const { clock, log, url, secret, previousSecret, post = postEvent } = this.#options;
    const { answerWithinMs } = this.#timing;
    const target = { url, secret, previousSecret: previousSecret?.(), answerWithinMs, sentMs: clock.wallMs() };
    const body = webhookBody(item.event, owner);
    const problem = await post(target, item.event, body, this.#closing.signal);
    if (problem !== undefined) {
      const nowMs = clock.monotonicMs();
      const before = this.#retryAt.get(liveVideoId) ?? { failures: 0, sinceMs: nowMs, atMs: 0 };
      const failures = before.failures + 1;
      const fields = { liveVideoId, delivery: item.event.deliveryId, problem, failures };
      if (nowMs - before.sinceMs < this.#timing.giveUpMs) {
        const waitMs = Math.min(this.#timing.longestRetryMs, this.#timing.firstRetryMs * 2 ** (failures - 1));
        this.#retryAt.set(liveVideoId, { failures, sinceMs: before.sinceMs, atMs: nowMs + waitMs });
        log.warn({ ...fields, waitMs }, 'webhook delivery failed; will retry');
        return false;
      }
      log.error(fields, 'webhook delivery dropped');
    }
    this.#retryAt.delete(liveVideoId);
    await this.#outbox.delivered(liveVideoId, item, clock.wallMs());
    return true;
  }

  /** Logs failures, for example when the store is down; stored events are delivered once it is back. */
  #quietly(message: string, work: () => Promise<unknown>): Promise<void> {
    const done = work().then(
      () => undefined,
      (error: unknown) => this.#options.log.warn({ err: error }, message),
    );
    this.#pending.add(done);
    return done.finally(() => this.#pending.delete(done));
  }
}

/** One signed delivery over HTTP. */
interface WebhookTarget {
  readonly url: string;
  readonly secret: string | Uint8Array;
  readonly previousSecret?: string | undefined;
  readonly answerWithinMs: number;
  /** Wall clock of this attempt: receivers refuse a timestamp that is minutes old. */
  readonly sentMs: number;
}

/** Resolves to `undefined` when the receiver accepted it, else to the reason for the failure. Never rejects. */
export async function postEvent(
  { url, secret, previousSecret, answerWithinMs, sentMs }: WebhookTarget,
  event: WebhookEvent,
  body: string,
  closing: AbortSignal,
): Promise<string | undefined> {
  const signed = (key: string | Uint8Array) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  const timestamp = String(Math.floor(sentMs / 1000));
  const standard = (key: string | Uint8Array) =>
    `v1,${createHmac('sha256', key).update(`${event.deliveryId}.${timestamp}.${body}`).digest('base64')}`;
  try {
    const answer = await callHttp(new URL(url), {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        // A receiver that has not changed its secret yet sees no difference during a rotation.
        'x-hub-signature-256': signed(previousSecret ?? secret),
        ...(previousSecret === undefined ? {} : { 'x-airlock-signature-256-next': signed(secret) }),
        'x-airlock-delivery': event.deliveryId,
        // Standard Webhooks, whose libraries accept a delivery if any signature of the list is right.
        'webhook-id': event.deliveryId,
        'webhook-timestamp': timestamp,
        'webhook-signature':
          previousSecret === undefined ? standard(secret) : `${standard(previousSecret)} ${standard(secret)}`,
      },
      headersMs: answerWithinMs,
      stallMs: answerWithinMs,
      signal: closing,
    });
    answer.close();
    return answer.status >= 200 && answer.status < 300 ? undefined : `HTTP ${answer.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

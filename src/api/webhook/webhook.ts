/**
 * Tells a URL of the operator's what happens to broadcasts: state moves and error records, signed, in order for each
 * broadcast, at least once. Nothing waits in memory: error records are read from the log behind a stored revision, state
 * moves from a stored list, so a restart goes on where deliveries stopped. One process at a time delivers (a lease).
 */
import { createHmac } from 'node:crypto';
import type { LiveVideoData, OwnerKind } from '../../broadcast/documents.js';
import { type Clock, type Lease, type Log, type StateMessage, type Store, TOPIC } from '../../ports.js';
import { recordEvent, stateEvent, type WebhookEvent, webhookBody } from './events.js';

export interface WebhookOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly url: string;
  /** Key of `X-Hub-Signature-256`. */
  readonly secret: string | Uint8Array;
  /** This process, as the holder of the lease. */
  readonly holder: string;
  /** Broadcasts that were running when a process died may have news that nobody heard of. */
  readonly running?: { readonly owner: string; readonly edge: string };
  readonly timing?: Partial<WebhookTiming>;
}

export interface WebhookTiming {
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** After that a delivery is dropped and logged, so that one broadcast does not wait for ever. */
  readonly giveUpMs: number;
  readonly answerWithinMs: number;
  /** How often it looks for work that it was not told of, and renews the lease. */
  readonly pollMs: number;
}

const TIMING: WebhookTiming = {
  firstRetryMs: 1_000,
  longestRetryMs: 300_000,
  giveUpMs: 3 * 86_400_000,
  answerWithinMs: 10_000,
  pollMs: 5_000,
};

const LEASE = 'webhook';
/** Broadcasts with something to deliver. Score: since when. */
const PENDING = { owner: 'system', edge: 'webhook_pending' } as const;
const BATCH = 50;
const AT_ONCE = 8;

interface Cursor {
  readonly revision: number;
  readonly status: string;
  readonly stream: string;
}

const cursorId = (liveVideoId: string): string => `webhook:${liveVideoId}`;
const movesOf = (liveVideoId: string) => ({ owner: cursorId(liveVideoId), edge: 'moves' });

interface Item {
  readonly event: WebhookEvent;
  /** Where the broadcast stands once this is delivered. */
  readonly cursor: Cursor;
  readonly move?: string;
}

interface Queued {
  readonly event: WebhookEvent;
  readonly move: string | undefined;
  readonly next: (before: Cursor) => Cursor;
}

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #timing: WebhookTiming;
  readonly #unsubscribe: (() => void)[];
  readonly #busy = new Map<string, Promise<void>>();
  readonly #retryAt = new Map<string, { readonly atMs: number; readonly failures: number; readonly sinceMs: number }>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #lease: Lease | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    const { bus } = options.store;
    this.#unsubscribe = [
      bus.subscribe(TOPIC.state, (message) => void this.#noteMove(message as StateMessage)),
      bus.subscribe(TOPIC.records, (message) => void this.#note((message as { broadcastId: string }).broadcastId)),
    ];
    void this.#sweep();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const stop of this.#unsubscribe) stop();
    clearTimeout(this.#timer);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    if (this.#lease) await this.#quietly('the lease could not be given up', () => this.#release());
  }

  async #release(): Promise<void> {
    if (this.#lease) await this.#options.store.release(this.#lease);
  }

  async #noteMove(message: StateMessage): Promise<void> {
    const member = `${String(message.atMs).padStart(16, '0')}:${message.status}:${message.stream}`;
    await this.#quietly('a state move could not be queued for the webhook', () =>
      this.#options.store.commit([
        { op: 'edgeAdd', ...movesOf(message.liveVideoId), member, score: message.atMs, value: message },
        this.#pending(message.liveVideoId),
      ]),
    );
    this.#wake();
  }

  async #note(liveVideoId: string): Promise<void> {
    if (this.#busy.has(liveVideoId)) this.#again = true;
    await this.#quietly('a broadcast could not be queued for the webhook', () =>
      this.#options.store.commit([this.#pending(liveVideoId)]),
    );
    this.#wake();
  }

  #pending(member: string) {
    return { op: 'edgeAdd', ...PENDING, member, score: this.#options.clock.wallMs() } as const;
  }

  async #sweep(): Promise<void> {
    const { running, store } = this.#options;
    if (running) {
      await this.#quietly('running broadcasts could not be looked at', async () => {
        const page = await store.page(running, { limit: 10_000 });
        await store.commit(page.entries.map((entry) => this.#pending(entry.member)));
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
    await this.#quietly('webhooks could not be looked for', async () => {
      if (!(await this.#holdsLease())) return;
      const page = await this.#options.store.page(PENDING, { limit: 1_000, ascending: true });
      const nowMs = this.#options.clock.monotonicMs();
      for (const { member } of page.entries) {
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
    if (this.#lease && (await store.renew(this.#lease, ttlMs))) return true;
    this.#lease = await store.acquire(LEASE, holder, ttlMs);
    return this.#lease !== undefined;
  }

  /** Everything that this broadcast has to tell, until nothing is left or a delivery fails. */
  async #deliverAll(liveVideoId: string): Promise<void> {
    await this.#quietly('webhooks of a broadcast could not be delivered', async () => {
      for (;;) {
        const items = await this.#nextItems(liveVideoId);
        if (items.length === 0) {
          await this.#options.store.commit([{ op: 'edgeRemove', ...PENDING, member: liveVideoId }]);
          // What came between the look and the removal would wait for the next event otherwise.
          if ((await this.#nextItems(liveVideoId)).length === 0) {
            await this.#forgetIfDeleted(liveVideoId);
            return;
          }
          await this.#options.store.commit([this.#pending(liveVideoId)]);
          continue;
        }
        const owner = await this.#ownerOf(liveVideoId);
        for (const item of items) {
          if (this.#closing.signal.aborted) return;
          if (!(await this.#deliver(liveVideoId, item, owner))) return;
        }
      }
    });
  }

  /** With the broadcast goes what is remembered of its deliveries. */
  async #forgetIfDeleted(liveVideoId: string): Promise<void> {
    const { store } = this.#options;
    const [live, cursor] = await store.getMany([liveVideoId, cursorId(liveVideoId)]);
    if (live === undefined && cursor) await store.commit([{ op: 'delete', id: cursor.id, expect: cursor.version }]);
  }

  async #nextItems(liveVideoId: string): Promise<readonly Item[]> {
    const { store } = this.#options;
    const [stored, moves] = await Promise.all([
      store.get<Cursor>(cursorId(liveVideoId)),
      store.page(movesOf(liveVideoId), { limit: BATCH, ascending: true }),
    ]);
    let cursor: Cursor = stored?.data ?? { revision: 0, status: '', stream: '' };
    const { records } = await store.records(liveVideoId, { limit: BATCH, afterRevision: cursor.revision });
    const said = records.map((record) => ({
      event: recordEvent(liveVideoId, record),
      move: undefined,
      next: (before: Cursor) => ({ ...before, revision: record.revision }),
    }));
    const moved = moves.entries.map((entry) => {
      const message = entry.value as StateMessage;
      return {
        event: stateEvent(message),
        move: entry.member,
        next: (before: Cursor) => ({ ...before, status: message.status, stream: message.stream }),
      };
    });
    const items: Item[] = [];
    for (const { event, move, next } of merged<Queued>(said, moved)) {
      const after = next(cursor);
      const isNews = move === undefined || after.status !== cursor.status || after.stream !== cursor.stream;
      // An edit of the title moves nothing: its message is taken from the list unsaid.
      if (!isNews) await store.commit([{ op: 'edgeRemove', ...movesOf(liveVideoId), member: move }]);
      else items.push({ event, cursor: after, ...(move === undefined ? {} : { move }) });
      cursor = after;
    }
    return items;
  }

  /** Of a deleted broadcast only moves can be left, and these name its owner. */
  async #ownerOf(liveVideoId: string): Promise<{ id: string; kind: OwnerKind | undefined }> {
    const { store } = this.#options;
    const live = await store.get<LiveVideoData>(liveVideoId);
    if (live) return { id: live.data.ownerId, kind: live.data.ownerKind };
    const [move] = (await store.page(movesOf(liveVideoId), { limit: 1 })).entries;
    const ownerId = (move?.value as StateMessage | undefined)?.ownerId ?? liveVideoId;
    return { id: ownerId, kind: (await store.get(ownerId))?.kind as OwnerKind | undefined };
  }

  /** False: it failed and will be tried again. */
  async #deliver(
    liveVideoId: string,
    item: Item,
    owner: { id: string; kind: OwnerKind | undefined },
  ): Promise<boolean> {
    const problem = await this.#post(item.event, webhookBody(item.event, owner));
    const { store, clock, log } = this.#options;
    if (problem !== undefined) {
      const nowMs = clock.monotonicMs();
      const before = this.#retryAt.get(liveVideoId) ?? { failures: 0, sinceMs: nowMs, atMs: 0 };
      const failures = before.failures + 1;
      const fields = { liveVideoId, delivery: item.event.deliveryId, problem, failures };
      if (nowMs - before.sinceMs < this.#timing.giveUpMs) {
        const waitMs = Math.min(this.#timing.longestRetryMs, this.#timing.firstRetryMs * 2 ** (failures - 1));
        this.#retryAt.set(liveVideoId, { failures, sinceMs: before.sinceMs, atMs: nowMs + waitMs });
        log.warn({ ...fields, waitMs }, 'a webhook was not taken');
        return false;
      }
      log.error(fields, 'a webhook was given up');
    }
    this.#retryAt.delete(liveVideoId);
    const at = { createdMs: clock.wallMs(), updatedMs: clock.wallMs() };
    await store.commit([
      { op: 'put', object: { id: cursorId(liveVideoId), kind: 'setting', ...at, data: item.cursor } },
      ...(item.move ? [{ op: 'edgeRemove', ...movesOf(liveVideoId), member: item.move } as const] : []),
    ]);
    return true;
  }

  /** `undefined`: taken. */
  async #post(event: WebhookEvent, body: string): Promise<string | undefined> {
    const { url, secret } = this.#options;
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'x-hub-signature-256': `sha256=${signature}`,
          'x-airlock-delivery': event.deliveryId,
        },
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#timing.answerWithinMs)]),
      });
      await response.body?.cancel();
      return response.ok ? undefined : `HTTP ${response.status}`;
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
  }

  /** The store may be away; what is stored is delivered when it is back. */
  #quietly(message: string, work: () => Promise<unknown>): Promise<void> {
    const done = work().then(
      () => undefined,
      (error: unknown) => this.#options.log.warn({ err: error }, message),
    );
    this.#underWay.add(done);
    return done.finally(() => this.#underWay.delete(done));
  }
}

/** Two lists in order of time as one; each keeps its own order, which for records is that of revisions. */
function merged<T extends { readonly event: WebhookEvent }>(left: readonly T[], right: readonly T[]): T[] {
  const out: T[] = [];
  let at = 0;
  for (const each of left) {
    for (let next = right[at]; next !== undefined && next.event.atMs <= each.event.atMs; next = right[at]) {
      out.push(next);
      at += 1;
    }
    out.push(each);
  }
  return [...out, ...right.slice(at)];
}

/** The stored outbox of a broadcast: its state transitions, its records since the last delivery, and a cursor. */
import { defined } from '../lib/objects.js';
import type { LiveVideoData, OwnerKind } from '../lifecycle/documents.js';
import {
  DERIVED_ID,
  edgeOf,
  type ForwardReport,
  recordSubject,
  type StateMessage,
  type Store,
  SYSTEM_EDGES,
} from '../ports/index.js';
import type { StoredRecord } from '../spec/error-record.js';
import { errorView, type RecordSubject } from '../spec/error-view.js';

/** The body of a webhook delivery, as in the Graph API: `{ object, entry: [{ id, time, changes }] }`. */
export interface WebhookEvent {
  /** Id common to every attempt, so that a receiver can recognize repeats. */
  readonly deliveryId: string;
  readonly atMs: number;
  readonly change: {
    readonly field: 'live_videos' | 'live_video_errors' | 'live_video_forwards';
    readonly value: object;
  };
}

export function stateEvent(message: StateMessage): WebhookEvent {
  return {
    deliveryId: `${message.liveVideoId}-s-${message.atMs}-${message.status}-${message.stream}`,
    atMs: message.atMs,
    change: {
      field: 'live_videos',
      value: { id: message.liveVideoId, status: message.status, stream: message.stream },
    },
  };
}

/** A forward is in another state. */
export function forwardEvent(report: ForwardReport): WebhookEvent {
  const { forwardId: id, liveVideoId, name, state, sinceMs, reason, heldBy: held_by, lastStatus } = report;
  const time = lastStatus && new Date(lastStatus.atMs).toISOString();
  const last_status = lastStatus && { ...pick(lastStatus), time };
  const forward = {
    id,
    name,
    state,
    since: new Date(sinceMs).toISOString(),
    ...defined({ reason, held_by, last_status }),
  };
  return {
    deliveryId: `${liveVideoId}-f-${id}-${sinceMs}-${state}`,
    atMs: sinceMs,
    change: { field: 'live_video_forwards', value: { id: liveVideoId, forward } },
  };
}

const pick = ({ level, code, description }: NonNullable<ForwardReport['lastStatus']>) => ({ level, code, description });

export function recordEvent(liveVideoId: string, record: StoredRecord, subject: RecordSubject): WebhookEvent {
  return {
    deliveryId: `${liveVideoId}-e-${record.revision}`,
    atMs: record.cleared_time_ms ?? record.timestampMs,
    change: { field: 'live_video_errors', value: { id: liveVideoId, error: errorView(record, subject) } },
  };
}

export function webhookBody(event: WebhookEvent, owner: { id: string; kind: OwnerKind | undefined }): string {
  const time = Math.floor(event.atMs / 1000);
  return JSON.stringify({
    object: owner.kind ?? 'page',
    entry: [{ id: owner.id, time, changes: [event.change] }],
  });
}

const BATCH = 50;

interface Cursor {
  readonly revision: number;
  readonly status: string;
  readonly stream: string;
}

const movesOf = (liveVideoId: string) => edgeOf(DERIVED_ID.webhookCursor(liveVideoId), 'moves');

export interface Item {
  readonly event: WebhookEvent;
  /** The broadcast's cursor once this item is delivered. */
  readonly cursor: Cursor;
  readonly move?: string;
}

interface Queued {
  readonly event: WebhookEvent;
  readonly move: string | undefined;
  /** Absent: where it changes the status or the stream. */
  readonly isNews?: true;
  readonly next: (before: Cursor) => Cursor;
}

export class Outbox {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Ids of live videos that may have items to deliver, longest waiting first. */
  async waiting(limit: number): Promise<string[]> {
    const page = await this.#store.objects.page(SYSTEM_EDGES.webhookPending, { limit, ascending: true });
    return page.entries.map(({ member }) => member);
  }

  async note(liveVideoIds: readonly string[], nowMs: number): Promise<void> {
    await this.#store.objects.commit(liveVideoIds.map((id) => pending(id, nowMs)));
  }

  async addMove(message: StateMessage, nowMs: number): Promise<void> {
    const member = `${String(message.atMs).padStart(16, '0')}:${message.status}:${message.stream}`;
    await this.#store.objects.commit([
      { op: 'edgeAdd', ...movesOf(message.liveVideoId), member, score: message.atMs, value: message },
      pending(message.liveVideoId, nowMs),
    ]);
  }

  async addForward(report: ForwardReport, nowMs: number): Promise<void> {
    const { liveVideoId, forwardId, state, sinceMs } = report;
    const member = `${String(sinceMs).padStart(16, '0')}:forward:${forwardId}:${state}`;
    await this.#store.objects.commit([
      { op: 'edgeAdd', ...movesOf(liveVideoId), member, score: sinceMs, value: report },
      pending(liveVideoId, nowMs),
    ]);
  }

  /** The next items to deliver, oldest first. */
  async next(liveVideoId: string): Promise<readonly Item[]> {
    const store = this.#store;
    const [stored, moves] = await Promise.all([
      store.objects.get<Cursor>(DERIVED_ID.webhookCursor(liveVideoId)),
      store.objects.page(movesOf(liveVideoId), { limit: BATCH, ascending: true }),
    ]);
    let cursor: Cursor = stored?.data ?? { revision: 0, status: '', stream: '' };
    const { records } = await store.records.page(liveVideoId, { limit: BATCH, afterRevision: cursor.revision });
    const found = records.length === 0 ? undefined : await recordSubject((id) => store.objects.get(id), liveVideoId);
    const subject = found ?? { broadcastId: liveVideoId };
    const said = records.map((record) => ({
      event: recordEvent(liveVideoId, record, subject),
      move: undefined,
      next: (before: Cursor) => ({ ...before, revision: record.revision }),
    }));
    const moved = moves.entries.map((entry): Queued => {
      const message = entry.value as StateMessage | ForwardReport;
      if ('forwardId' in message)
        return { event: forwardEvent(message), move: entry.member, isNews: true, next: (before: Cursor) => before };
      return {
        event: stateEvent(message),
        move: entry.member,
        next: (before: Cursor) => ({ ...before, status: message.status, stream: message.stream }),
      };
    });
    const items: Item[] = [];
    for (const { event, move, next, isNews: isAlwaysNews } of merged<Queued>(said, moved)) {
      const after = next(cursor);
      const isChange =
        isAlwaysNews ?? (move === undefined || after.status !== cursor.status || after.stream !== cursor.stream);
      // An edit of the title changes no state: its message is removed without a delivery.
      if (!isChange && move !== undefined)
        await store.objects.commit([{ op: 'edgeRemove', ...movesOf(liveVideoId), member: move }]);
      else items.push({ event, cursor: after, ...defined({ move }) });
      cursor = after;
    }
    return items;
  }

  async delivered(liveVideoId: string, { cursor, move }: Item, nowMs: number): Promise<void> {
    const object = {
      id: DERIVED_ID.webhookCursor(liveVideoId),
      kind: 'setting',
      createdMs: nowMs,
      updatedMs: nowMs,
      data: cursor,
    } as const;
    await this.#store.objects.commit([
      { op: 'put', object },
      ...(move === undefined ? [] : [{ op: 'edgeRemove', ...movesOf(liveVideoId), member: move } as const]),
    ]);
  }

  /** False: an item arrived after the last look and must be delivered. */
  async finish(liveVideoId: string, nowMs: number): Promise<boolean> {
    await this.#store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.webhookPending, member: liveVideoId }]);
    if ((await this.next(liveVideoId)).length === 0) {
      await this.#forgetIfDeleted(liveVideoId);
      return true;
    }
    await this.note([liveVideoId], nowMs);
    return false;
  }

  /** Deletes the cursor of a deleted broadcast. */
  async #forgetIfDeleted(liveVideoId: string): Promise<void> {
    const store = this.#store;
    const [live, cursor] = await store.objects.getMany([liveVideoId, DERIVED_ID.webhookCursor(liveVideoId)]);
    if (live === undefined && cursor)
      await store.objects.commit([{ op: 'delete', id: cursor.id, expect: cursor.version }]);
  }

  /** A deleted broadcast can only have transitions left, and these name its owner. */
  async ownerOf(liveVideoId: string): Promise<{ id: string; kind: OwnerKind | undefined }> {
    const store = this.#store;
    const live = await store.objects.get<LiveVideoData>(liveVideoId);
    if (live) return { id: live.data.ownerId, kind: live.data.ownerKind };
    const [move] = (await store.objects.page(movesOf(liveVideoId), { limit: 1 })).entries;
    const ownerId = (move?.value as StateMessage | undefined)?.ownerId ?? liveVideoId;
    return { id: ownerId, kind: (await store.objects.get(ownerId))?.kind as OwnerKind | undefined };
  }
}

const pending = (member: string, nowMs: number) =>
  ({ op: 'edgeAdd', ...SYSTEM_EDGES.webhookPending, member, score: nowMs }) as const;

/** Merges two time-ordered lists. Each keeps its own order, which for records is the order of revisions. */
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

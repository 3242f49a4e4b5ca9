/** Keeps the state of this server over a day in the store, one object a server, for the charts of its operator. */
import {
  type Clock,
  DERIVED_ID,
  type Log,
  type Store,
  StoreUnavailableError,
  SYSTEM_EDGES,
} from '../../ports/index.js';
import {
  SERVER_HISTORY,
  type ServerPoint,
  type ServerSample,
  serverPoint,
  withServerPoint,
} from '../view/server-series.js';
import type { ServerState } from '../view/server-state.js';

export interface ServerHistoryDeps {
  readonly store: Pick<Store, 'objects'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Distinguishes the servers of a store, over restarts too. */
  readonly serverId: string;
  readonly state: () => Promise<ServerState>;
}

interface StoredHistory {
  readonly points: readonly ServerPoint[];
}

/** Servers that are gone are forgotten in batches of this size. */
const SWEEP_BATCH = 100;

export class ServerHistory {
  readonly #deps: ServerHistoryDeps;
  #timer: NodeJS.Timeout | undefined;
  #before: ServerSample | undefined;
  #sampling: Promise<void> | undefined;

  constructor(deps: ServerHistoryDeps) {
    this.#deps = deps;
  }

  /** Takes a sample now, from which rates are counted, and then one a minute. */
  start(): void {
    void this.tick();
    this.#timer = setInterval(() => void this.tick(), SERVER_HISTORY.everyMs).unref();
  }

  /** Never rejects. */
  tick(): Promise<void> {
    this.#sampling ??= this.#sample()
      .catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) return;
        this.#deps.log.warn({ error }, 'the state of the server could not be kept');
      })
      .finally(() => {
        this.#sampling = undefined;
      });
    return this.#sampling;
  }

  async read(): Promise<readonly ServerPoint[]> {
    const found = await this.#deps.store.objects.get<StoredHistory>(this.#id);
    return found?.data.points ?? [];
  }

  get #id(): string {
    return DERIVED_ID.serverHistory(this.#deps.serverId);
  }

  async #sample(): Promise<void> {
    const { clock, state, store, serverId } = this.#deps;
    const sample = { atMs: clock.wallMs(), state: await state() };
    const point = serverPoint(sample, this.#before);
    // The first one has no rates: it is where they are counted from.
    const isFirst = this.#before === undefined;
    this.#before = sample;
    if (isFirst) return;
    const data: StoredHistory = { points: withServerPoint(await this.read(), point) };
    const nowMs = sample.atMs;
    const old = await store.objects.page(SYSTEM_EDGES.serverHistories, {
      limit: SWEEP_BATCH,
      ascending: true,
      untilScore: nowMs - SERVER_HISTORY.points * SERVER_HISTORY.everyMs,
    });
    const gone = old.entries.map(({ member }) => member).filter((member) => member !== serverId);
    await store.objects.commit([
      { op: 'put', object: { id: this.#id, kind: 'server_history', createdMs: nowMs, updatedMs: nowMs, data } },
      { op: 'edgeAdd', ...SYSTEM_EDGES.serverHistories, member: serverId, score: nowMs },
      ...gone.flatMap((member) => [
        { op: 'delete', id: DERIVED_ID.serverHistory(member) } as const,
        { op: 'edgeRemove', ...SYSTEM_EDGES.serverHistories, member } as const,
      ]),
    ]);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sampling;
  }
}

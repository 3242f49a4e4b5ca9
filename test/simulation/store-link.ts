/** A store somewhere in the world, and the connections of processes to it, which take time and fail as those of real stores do. */
import {
  type Bus,
  type LeaseStore,
  type ObjectStore,
  type RecordStore,
  type Store,
  type StoredObject,
  StoreUnavailableError,
  type VolatileStore,
  type Write,
} from '../../src/ports/index.js';
import { type StoreFault, type StoreKind, StoreState } from './store-state.js';
import type { Actor, SimEvent, World } from './world.js';

/** A call takes so long on the way there, and on the way back. */
const WAY_MS = { from: 0.05, to: 1.5 } as const;
/** A read of LMDB in memory. */
const READ_MS = 0.02;
/** Both stores give up a call after this, and connect again. */
const CALL_MS = 2_500;
/** Between the return of a store and that of a connection. */
const RECONNECT_MS = { from: 5, to: 250 } as const;

/** How a store is unavailable: its connections are reset, or stay open without an answer. */
type Away = 'refuses' | 'hangs';

interface Call {
  isOver: boolean;
  readonly fail: () => void;
  /** Its timeout. */
  timeout?: SimEvent;
}

export class StoreServer {
  readonly state: StoreState;
  readonly links = new Set<StoreLink>();
  /** Faults of now. */
  readonly #away = new Set<{ readonly how: Away }>();
  /** A call takes up to this much longer. */
  slowMs = 0;
  /** Sees each object that was put, with the one before. */
  wasPut: (before: StoredObject | undefined, after: StoredObject, by: string) => void = () => undefined;

  readonly world: World;
  readonly kind: StoreKind;

  constructor(world: World, kind: StoreKind, fault?: StoreFault) {
    this.world = world;
    this.kind = kind;
    this.state = new StoreState(
      kind,
      () => world.nowMs,
      () => world.wallMs,
      fault,
    );
  }

  get isAway(): boolean {
    return this.#away.size > 0;
  }

  /** `refuses`: its process ends. `hangs`: connections stay up, and calls get no answer. Returns what ends it. */
  leave(how: Away): () => void {
    const fault = { how };
    this.#away.add(fault);
    if (how === 'refuses') {
      this.state.die();
      this.breakLinks();
    }
    return () => void this.#away.delete(fault);
  }

  /** A process or server that ends, or another in its place: every connection breaks. */
  breakLinks(): void {
    for (const link of this.links) link.lose();
  }

  comeBack(): void {
    this.#away.clear();
  }
}

export class StoreLink implements Store {
  readonly isShared = true;
  readonly spansMachines: boolean;
  readonly name: string;
  readonly #server: StoreServer;
  readonly #world: World;
  readonly #actor: Actor | undefined;
  readonly #calls = new Set<Call>();
  readonly #subscribers = new Map<string, Set<(message: unknown, topic: string) => void>>();
  readonly #availability = new Set<(available: boolean) => void>();
  #isUp = true;
  #isOpen = true;
  #thereMs = 0;
  #backMs = 0;

  /** `actor`: the process whose connection it is; undefined: something outside of every process. */
  constructor(server: StoreServer, actor?: Actor) {
    this.#server = server;
    this.#world = server.world;
    this.#actor = actor;
    this.name = server.kind === 'redis' ? 'redis' : 'lmdb';
    this.spansMachines = server.kind === 'redis';
    server.links.add(this);
  }

  // ---------------------------------------------------------------- calls

  #call<Answer>(run: () => Answer): Promise<Answer> {
    const world = this.#world;
    if (!this.#isUp || !this.#isOpen)
      return new Promise((_resolve, reject) => void world.after(0.01, () => reject(unavailable()), this.#actor));
    return new Promise((resolve, reject) => {
      const call: Call = { isOver: false, fail: () => this.#over(call, () => reject(unavailable())) };
      this.#calls.add(call);
      call.timeout = world.after(CALL_MS, () => this.lose(), this.#actor);
      const { slowMs } = this.#server;
      this.#thereMs = Math.max(this.#thereMs, world.nowMs + world.between(WAY_MS.from, WAY_MS.to + slowMs));
      // A command in flight when the connection breaks may still be applied; its caller gets no answer.
      const isSent = this.#connection;
      world.at(this.#thereMs, () => {
        if (this.#server.isAway || isSent.isCut) return;
        const back = outcomeOf(run, resolve, reject);
        this.#backMs = Math.max(this.#backMs, world.nowMs + world.between(WAY_MS.from, WAY_MS.to));
        world.at(this.#backMs, () => this.#over(call, back), this.#actor);
      });
    });
  }

  /** LMDB is read by each process itself, also while the store process is away. */
  #read<Answer>(run: () => Answer): Promise<Answer> {
    if (this.#server.kind !== 'embedded' || !this.#isOpen) return this.#call(run);
    return new Promise((resolve, reject) => {
      this.#world.after(READ_MS, () => outcomeOf(run, resolve, reject)(), this.#actor);
    });
  }

  #connection = { isCut: false };

  #over(call: Call, settle: () => void): void {
    if (call.isOver) return;
    call.isOver = true;
    if (call.timeout !== undefined) call.timeout.isCancelled = true;
    this.#calls.delete(call);
    settle();
  }

  /** The connection breaks: calls that wait for an answer fail, whether or not they were applied. */
  lose(): void {
    if (!this.#isUp || !this.#isOpen) return;
    this.#isUp = false;
    // Half of what is on the way is lost with it.
    this.#connection.isCut = this.#world.chance(0.5);
    this.#connection = { isCut: false };
    const waiting = [...this.#calls];
    this.#world.after(
      0.1,
      () => {
        for (const call of waiting) call.fail();
        this.#tell(false);
        this.#reconnect();
      },
      this.#actor,
    );
  }

  #reconnect(): void {
    this.#world.after(
      this.#world.between(RECONNECT_MS.from, RECONNECT_MS.to),
      () => {
        if (!this.#isOpen) return;
        if (this.#server.isAway) return this.#reconnect();
        this.#isUp = true;
        this.#tell(true);
      },
      this.#actor,
    );
  }

  #tell(available: boolean): void {
    for (const listener of [...this.#availability]) listener(available);
  }

  onAvailability(listener: (available: boolean) => void): () => void {
    this.#availability.add(listener);
    return () => void this.#availability.delete(listener);
  }

  ping(): Promise<void> {
    return this.#call(() => undefined);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#server.links.delete(this);
  }

  // ---------------------------------------------------------------- the ports

  get #state(): StoreState {
    return this.#server.state;
  }

  get #by(): string {
    return this.#actor?.name ?? 'owner';
  }

  readonly objects: ObjectStore = {
    get: async <Data>(id: string) => (await this.#read(() => this.#state.get(id))) as StoredObject<Data> | undefined,
    getMany: (ids) => this.#read(() => ids.map((id) => this.#state.get(id))),
    resolveAlias: (alias) => this.#read(() => this.#state.alias(alias)),
    commit: (writes) => {
      // As the caller has it now.
      const text = JSON.stringify(writes);
      return this.#call(() => {
        const copies = JSON.parse(text) as Write[];
        const ids = copies.flatMap((write) => (write.op === 'put' ? [write.object.id] : []));
        const before = ids.map((id) => this.#state.get(id));
        this.#state.commit(copies);
        for (const [index, id] of ids.entries()) {
          const after = this.#state.get(id);
          if (after !== undefined) this.#server.wasPut(before[index], after, this.#by);
        }
      });
    },
    page: (name, query) => this.#read(() => this.#state.page(name, query)),
    pages: (requests) => this.#read(() => requests.map(({ name, query }) => this.#state.page(name, query))),
    edgeSize: (name) => this.#read(() => this.#state.edgeSize(name)),
    edgeEntry: (name, member) => this.#read(() => this.#state.edgeEntry(name, member)),
    counters: (owner, names) => this.#read(() => this.#state.counters(owner, names)),
  };

  readonly records: RecordStore = {
    append: (entries, options) => this.#call(() => this.#state.append(entries, options?.refuseGaps ?? false)),
    page: (id, query) => this.#read(() => this.#state.recordPage(id, query)),
    get: (broadcastId, id) => this.#read(() => this.#state.record(broadcastId, id)),
    counts: (id) => this.#read(() => this.#state.recordCounts(id)),
    delete: (id) => this.#call(() => this.#state.deleteRecords(id)),
    keepUntil: () => this.#call(() => undefined),
  };

  readonly leases: LeaseStore = {
    acquire: (key, holder, ttlMs) => this.#call(() => this.#state.acquire(key, holder, ttlMs)),
    renew: (lease, ttlMs) => this.#call(() => this.#state.renew(lease, ttlMs)),
    reclaim: (lease, ttlMs) => this.#call(() => this.#state.reclaim(lease, ttlMs)),
    release: (lease) => this.#call(() => this.#state.release(lease)),
    holder: (key) => this.#call(() => this.#state.holder(key)),
    takeOver: (from, holder, ttlMs) => this.#call(() => this.#state.takeOver(from, holder, ttlMs)),
    proveAlive: (holder, ttlMs) => this.#call(() => this.#state.proveAlive(holder, ttlMs)),
    isAlive: (holder) => this.#call(() => this.#state.isAlive(holder)),
  };

  readonly volatile: VolatileStore = {
    set: (key, value, ttlMs) => {
      const text = JSON.stringify(value ?? null);
      return this.#call(() => this.#state.set(key, text, ttlMs));
    },
    get: (key) => this.#call(() => this.#state.value(key)),
    setIn: (group, key, value, bounds) => {
      const text = JSON.stringify(value ?? null);
      return this.#call(() => this.#state.setIn(group, key, text, bounds));
    },
    getIn: (group, key) => this.#call(() => this.#state.value(`${group}/${key}`)),
  };

  /** Listeners of the same process hear a message always; those of others, if the store passes it on. */
  readonly bus: Bus = {
    publish: (topic, message) => {
      const text = JSON.stringify(message ?? null);
      this.#world.after(0.01, () => this.#hear(topic, text), this.#actor);
      if (!this.#isUp) return;
      this.#thereMs = Math.max(this.#thereMs, this.#world.nowMs + this.#world.between(WAY_MS.from, WAY_MS.to));
      this.#world.at(this.#thereMs, () => {
        if (this.#server.isAway) return;
        for (const link of this.#server.links) if (link !== this) link.#deliver(topic, text);
      });
    },
    subscribe: (topic, listener) => {
      const listeners = this.#subscribers.get(topic) ?? new Set();
      this.#subscribers.set(topic, listeners);
      const own = (message: unknown, at: string) => listener(message, at);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };

  #deliver(topic: string, text: string): void {
    if (!this.#isUp || !this.#subscribers.has(topic)) return;
    this.#backMs = Math.max(this.#backMs, this.#world.nowMs + this.#world.between(WAY_MS.from, WAY_MS.to));
    this.#world.at(this.#backMs, () => this.#hear(topic, text), this.#actor);
  }

  #hear(topic: string, text: string): void {
    for (const listener of [...(this.#subscribers.get(topic) ?? [])]) {
      try {
        listener(JSON.parse(text), topic);
      } catch {
        // One listener at fault leaves the others alone.
      }
    }
  }
}

const unavailable = (): StoreUnavailableError => new StoreUnavailableError('the store is unavailable');

/** Runs it now; what comes back settles the promise later. */
function outcomeOf<Answer>(
  run: () => Answer,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const answer = run();
    return () => resolve(answer);
  } catch (error) {
    return () => reject(error);
  }
}

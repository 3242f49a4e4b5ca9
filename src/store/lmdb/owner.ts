/**
 * Restricts the embedded store to one process. LMDB allows several writers, but events and leases of the embedded store
 * live in the process that has it open. The claim is made in a write transaction, which LMDB serializes across processes,
 * so that of two simultaneous starts only one succeeds.
 */
import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  HEARTBEAT_MS,
  HEARTBEAT_STALE_MS,
  lifeOf,
  ownIdentity,
  type ProcessIdentity,
} from '../shared/process-identity.js';
import { name } from './keys.js';
import type { Table, Tables } from './tables.js';

interface Owner extends ProcessIdentity {
  readonly host: string;
  readonly sinceMs: number;
}

/** Another process has the embedded store open. */
export class StoreInUseError extends Error {
  override readonly name = 'StoreInUseError';
  readonly code = 'STORE_IN_USE';
  readonly pid: number;

  constructor(path: string, owner: { pid: number; host: string; sinceMs: number }) {
    const since = new Date(owner.sinceMs).toISOString();
    super(
      `the store in ${path} is in use by process ${owner.pid} on ${owner.host} since ${since}; ` +
        'stop that process, ask it instead, or set REDIS_URL to run more than one',
    );
    this.pid = owner.pid;
  }
}

const KEY = name('owner');

export class StoreOwner {
  readonly #table: Table<Owner | null>;
  readonly #tables: Tables;
  readonly #heartbeat: NodeJS.Timeout;

  /** @throws StoreInUseError */
  static claim(tables: Tables, path: string, wallMs: number): StoreOwner {
    const table = tables.table<Owner | null>('owner');
    const heartbeatPath = join(path, 'heartbeat');
    const holder = tables.root.transactionSync(() => {
      const owner = table.get(KEY);
      if (owner !== undefined && owner !== null && holds(owner, heartbeatPath)) return owner;
      table.put(KEY, { ...ownIdentity(), host: hostname(), sinceMs: wallMs });
      return undefined;
    });
    if (holder !== undefined) throw new StoreInUseError(path, holder);
    closeSync(openSync(heartbeatPath, 'a', 0o600));
    return new StoreOwner(tables, table, heartbeatPath);
  }

  private constructor(tables: Tables, table: Table<Owner | null>, heartbeatPath: string) {
    this.#tables = tables;
    this.#table = table;
    const beat = () => {
      const now = new Date();
      try {
        utimesSync(heartbeatPath, now, now);
      } catch (error) {
        // The disk is full or read-only: the claim in the environment still holds for every process that can see our pid.
        if (!(error instanceof Error)) throw error;
      }
    };
    beat();
    this.#heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#tables.write(() => this.#table.put(KEY, null));
  }
}

function holds(owner: Owner, heartbeatPath: string): boolean {
  const life = lifeOf(owner);
  if (life !== 'unknown') return life === 'alive';
  const touchedMs = statSync(heartbeatPath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - touchedMs < HEARTBEAT_STALE_MS;
}

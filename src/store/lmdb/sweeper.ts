/**
 * Removes deleted rows in the background. A delete only increments a generation; the rows of the old one are removed here,
 * a thousand per event-loop turn, so that deleting a Page with 100,000 videos does not block the event loop. The list of
 * ranges is stored, and the next start continues with it.
 */
import type { Log } from '../../ports/index.js';
import { removeUnder, type Table, type Tables } from './tables.js';

const ROWS_PER_STEP = 1_000;

export class Sweeper {
  readonly #tables: Tables;
  readonly #queue: Table<true>;
  readonly #swept: ReadonlyMap<string, Table<unknown>>;
  readonly #log: Log;
  #running: Promise<void> | undefined;
  #closed = false;

  /** `swept`: the tables to sweep, by their one-byte name. */
  constructor(tables: Tables, swept: ReadonlyMap<string, Table<unknown>>, log: Log) {
    this.#tables = tables;
    this.#queue = tables.table<true>('sweeps');
    this.#swept = swept;
    this.#log = log;
  }

  /** Schedules everything under `start` for removal. Call it in a transaction, and `wake` after the commit. */
  add(table: string, start: Buffer): void {
    this.#queue.put(Buffer.concat([Buffer.from(table), start]), true);
  }

  wake(): void {
    if (this.#closed || this.#running !== undefined) return;
    this.#running = this.#run()
      .catch((error: unknown) => this.#log.error({ error }, 'sweeping deleted rows failed; the next start continues'))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when nothing is left to sweep. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const [next] = [...this.#queue.getKeys({ limit: 1 })];
      if (next === undefined) return;
      const key = Buffer.from(next);
      const table = this.#swept.get(key.toString('latin1', 0, 1));
      await this.#tables.write(() => {
        if (table === undefined || removeUnder(table, key.subarray(1), ROWS_PER_STEP)) this.#queue.remove(key);
      });
    }
  }
}

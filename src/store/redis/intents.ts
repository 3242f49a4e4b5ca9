/**
 * Decided commits that span several hash tags of a cluster. An intent is written before the first tag and removed after
 * the last one. An old intent belongs to a process that died; any process can complete it.
 */
import { type Clock, ConflictError, type Log } from '../../ports/index.js';
import type { Step } from './commit-plan.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { listOf, textOf } from './replies.js';

const LOOK_EVERY_MS = 30_000;
/** A commit takes seconds at most; an older intent is abandoned. */
const LEFT_AFTER_MS = 30_000;

type Groups = readonly (readonly Step[])[];

export class Intents {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #log: Log;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: RedisConnection, keys: RedisKeys, log: Log, clock: Clock) {
    this.#connection = connection;
    this.#key = keys.intents();
    this.#log = log;
    this.#clock = clock;
  }

  async write(txid: string, groups: Groups): Promise<void> {
    await this.#connection.send('HSET', this.#key, txid, JSON.stringify({ atMs: this.#clock.wallMs(), groups }));
  }

  async remove(txid: string): Promise<void> {
    await this.#connection.send('HDEL', this.#key, txid);
  }

  /** Checks now and every half minute. */
  watch(replay: (txid: string, groups: Groups) => Promise<void>): void {
    const look = () => {
      this.finish(LEFT_AFTER_MS, replay).catch((error: unknown) =>
        this.#log.warn({ error }, 'completing partial commits failed'),
      );
    };
    look();
    this.#timer = setInterval(look, LOOK_EVERY_MS).unref();
  }

  /** Completes commits that were decided more than `olderThanMs` ago. */
  async finish(olderThanMs: number, replay: (txid: string, groups: Groups) => Promise<void>): Promise<void> {
    const flat = listOf(await this.#connection.send('HGETALL', this.#key));
    if (flat.length === 0) return;
    const nowMs = this.#clock.wallMs();
    for (let index = 0; index + 1 < flat.length; index += 2) {
      const txid = textOf(flat[index]);
      const intent: { readonly atMs: number; readonly groups: Groups } = JSON.parse(textOf(flat[index + 1]));
      if (nowMs - intent.atMs < olderThanMs) continue;
      try {
        await replay(txid, intent.groups);
        this.#log.info({ txid }, 'completed the partial commit of a dead process');
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        this.#log.error({ txid, id: error.id }, 'a partial commit conflicts with a newer version and stays partial');
      }
      await this.remove(txid);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

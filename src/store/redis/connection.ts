/**
 * The way to Redis, in whichever of its three forms. Commands fail at once while it is away: nothing queues up in
 * memory, the caller decides whether to come again. A connection that does not answer is closed and made anew, so that
 * a frozen server is noticed.
 */
import { Cluster, type Redis } from 'ioredis';
import { withTimeout } from '../../lib/timeout.js';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import type { RedisAddress, RedisHost } from './address.js';
import { COMMAND_TIMEOUT_MS, openClient, openSubscriber, type RedisClient } from './client.js';
import type { Script } from './scripts/script.js';

/** A start says within three seconds what it lacks; its supervisor starts it again. */
const FIRST_CONNECT_MS = 1_500;

export type Argument = string | number;
export type Send = (command: string, ...args: readonly Argument[]) => Promise<unknown>;

/** Errors of a server that is there but cannot take the command now. */
const AWAY_REPLIES =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|UNKILLABLE|NOAUTH|NOPERM|WRONGPASS)\b/;
/** Errors that no waiting mends: said at once when they come at the start. */
const REFUSALS = /NOAUTH|NOPERM|WRONGPASS|invalid (username|password)|ERR DB index|certificate|self.signed/i;

export class RedisConnection {
  readonly #client: RedisClient;
  readonly #address: RedisAddress;
  readonly #log: Log;
  readonly #listeners = new Set<(available: boolean) => void>();
  #available = false;
  #lastError = '';
  #closed = false;

  /** @throws StoreUnavailableError when it cannot be reached within a second and a half, or refuses us */
  static async open(address: RedisAddress, log: Log): Promise<RedisConnection> {
    const connection = new RedisConnection(address, log);
    try {
      await connection.#firstReady();
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** For libraries that bring commands of their own. */
  get client(): object {
    return this.#client.client;
  }

  private constructor(address: RedisAddress, log: Log) {
    this.#address = address;
    this.#log = log;
    this.#client = openClient(address);
    const { client } = this.#client;
    client.on('ready', () => this.#set(true));
    client.on('close', () => this.#set(false));
    client.on('end', () => this.#set(false));
    client.on('error', (error: Error) => {
      this.#lastError = error.message;
    });
    if (address.form === 'cluster') {
      client.on('node error', (error: Error) => {
        this.#lastError = error.message;
      });
      // A slot may have moved to a replica that lacks the last writes: listeners look after what they sent.
      client.on('+node', () => this.#tellAgain());
      client.on('-node', () => this.#tellAgain());
    }
  }

  get available(): boolean {
    return this.#available;
  }

  get isCluster(): boolean {
    return this.#address.form === 'cluster';
  }

  get shown(): string {
    return this.#address.shown;
  }

  /** Told at every loss and every return, and when the nodes of a cluster change. */
  onAvailability(listener: (available: boolean) => void): () => void {
    const own = (available: boolean) => listener(available);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** One command. @throws StoreUnavailableError */
  async send(command: string, ...args: readonly Argument[]): Promise<unknown> {
    if (!this.#available) throw this.#away();
    try {
      const answer = this.#client.client.call(command, ...args);
      // In a cluster the limit of ioredis is one for each node that it tries, and it tries ten times.
      return await (this.isCluster ? withTimeout(answer, COMMAND_TIMEOUT_MS, noAnswer) : answer);
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /** All keys of one script have one hash tag, unless this is no cluster. @throws StoreUnavailableError */
  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    try {
      return await this.send('EVALSHA', script.sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.send('EVAL', script.lua, keys.length, ...keys, ...args);
    }
  }

  /** A way to each server: for commands that ask a node, not a key. */
  perNode(role: 'master' | 'all'): readonly Send[] {
    const { client } = this.#client;
    const nodes = client instanceof Cluster ? client.nodes(role) : [client];
    return nodes.map((node) => async (command, ...args) => {
      try {
        return await node.call(command, ...args);
      } catch (error) {
        throw this.#translated(error);
      }
    });
  }

  /** A connection of its own for subscriptions. */
  subscriber(): RedisClient<Redis> {
    return openSubscriber(this.#address, () => this.#nodes());
  }

  close(): void {
    this.#closed = true;
    this.#set(false);
    this.#listeners.clear();
    this.#client.close();
  }

  #nodes(): RedisHost[] {
    const { client } = this.#client;
    if (!(client instanceof Cluster)) return [];
    return client.nodes().flatMap(({ options: { host, port } }) => (host && port ? [{ host, port }] : []));
  }

  #firstReady(): Promise<void> {
    const { client } = this.#client;
    return new Promise((resolve, reject) => {
      const fail = (cause?: Error) => {
        clearTimeout(timer);
        const why = cause?.message ?? this.#lastError;
        reject(
          new StoreUnavailableError(`Redis at ${this.shown} cannot be used${why === '' ? '' : `: ${why}`}`, { cause }),
        );
      };
      const timer = setTimeout(fail, FIRST_CONNECT_MS);
      client.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
      const refused = (error: Error) => {
        if (REFUSALS.test(error.message)) fail(error);
      };
      client.on('error', refused);
      client.on('node error', refused);
    });
  }

  #set(available: boolean): void {
    if (this.#available === available) return;
    this.#available = available;
    if (!this.#closed) {
      const fields = { redis: this.shown, ...(available ? {} : { cause: this.#lastError }) };
      if (available) this.#log.info(fields, 'Redis is there');
      else this.#log.warn(fields, 'Redis is away');
    }
    for (const listener of [...this.#listeners]) listener(available);
  }

  #tellAgain(): void {
    if (!this.#available) return;
    for (const listener of [...this.#listeners]) listener(true);
  }

  #away(cause?: unknown): StoreUnavailableError {
    return new StoreUnavailableError(`Redis at ${this.shown} is away`, { cause: cause ?? this.#lastError });
  }

  #translated(error: unknown): Error {
    if (!(error instanceof Error)) return this.#away(error);
    // What Redis itself answered is a ReplyError; anything else is the way to it.
    if (error.name !== 'ReplyError') return error instanceof TypeError ? error : this.#away(error);
    const message = error.message.replace(/^ERR Error running script[^:]*: /, '');
    return AWAY_REPLIES.test(message) || /-?\b(OOM|READONLY|MISCONF)\b/.test(message) ? this.#away(error) : error;
  }
}

function noAnswer(): never {
  throw new Error('no node of the cluster answered in time');
}

/**
 * The way to Redis, in whichever of its three forms. Commands fail at once while it is away: nothing queues up in
 * memory, the caller decides whether to come again. A connection that does not answer is closed and made anew, so that
 * a frozen server is noticed.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { type Log, StoreUnavailableError } from '../../ports.js';
import type { RedisAddress } from './address.js';
import type { Script } from './script.js';

/** A command without an answer for so long fails; the lease of 10 s is renewed every 3 s. */
const COMMAND_TIMEOUT_MS = 2_500;
const CONNECT_TIMEOUT_MS = 2_500;
const FIRST_CONNECT_MS = 5_000;
const BACKOFF_FIRST_MS = 50;
const BACKOFF_MAX_MS = 2_000;

export type Argument = string | number;

/** Errors of a server that is there but cannot take the command now. */
const AWAY_REPLIES =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|UNKILLABLE|NOAUTH|NOPERM|WRONGPASS)\b/;
/** Errors that no waiting mends: said at once when they come at the start. */
const REFUSALS = /NOAUTH|NOPERM|WRONGPASS|invalid (username|password)|ERR DB index|certificate|self.signed/i;

export class RedisConnection {
  readonly client: Redis | Cluster;
  readonly #address: RedisAddress;
  readonly #log: Log;
  readonly #listeners = new Set<(available: boolean) => void>();
  #available = false;
  #lastError = '';
  #closed = false;

  /** @throws StoreUnavailableError when it cannot be reached within five seconds, or refuses us */
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

  private constructor(address: RedisAddress, log: Log) {
    this.#address = address;
    this.#log = log;
    this.client = makeClient(address);
    this.client.on('ready', () => this.#set(true));
    this.client.on('close', () => this.#set(false));
    this.client.on('end', () => this.#set(false));
    this.client.on('error', (error: Error) => {
      this.#lastError = error.message;
    });
    if (address.form === 'cluster') {
      this.client.on('node error', (error: Error) => {
        this.#lastError = error.message;
      });
      // A slot may have moved to a replica that lacks the last writes: listeners look after what they sent.
      this.client.on('+node', () => this.#tellAgain());
      this.client.on('-node', () => this.#tellAgain());
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
      return await this.client.call(command, ...args);
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

  /** A connection of its own for subscriptions. */
  subscriber(): Redis | Cluster {
    return makeClient(this.#address);
  }

  close(): void {
    this.#closed = true;
    this.#set(false);
    this.#listeners.clear();
    this.client.disconnect();
  }

  #firstReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (cause?: Error) => {
        clearTimeout(timer);
        const why = cause?.message ?? this.#lastError;
        reject(
          new StoreUnavailableError(`Redis at ${this.shown} cannot be used${why === '' ? '' : `: ${why}`}`, { cause }),
        );
      };
      const timer = setTimeout(fail, FIRST_CONNECT_MS);
      this.client.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
      const refused = (error: Error) => {
        if (REFUSALS.test(error.message)) fail(error);
      };
      this.client.on('error', refused);
      this.client.on('node error', refused);
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

function makeClient(address: RedisAddress): Redis | Cluster {
  const shared = {
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    db: address.db,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: COMMAND_TIMEOUT_MS,
    keepAlive: 10_000,
    // Else a connection that is closed while it is away keeps the process for two seconds.
    disconnectTimeout: 200,
    // A command that was on its way when the connection broke may have been carried out: the caller must know.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableReadyCheck: true,
    // After a failover the former master answers like this until it is told apart: connect anew and find the new one.
    reconnectOnError: (error: Error) => /^READONLY|-READONLY/.test(error.message),
    ...(address.tls ? { tls: {} } : {}),
  } satisfies RedisOptions;
  const [first = { host: '127.0.0.1', port: 6_379 }] = address.hosts;
  switch (address.form) {
    case 'cluster':
      return new Cluster([...address.hosts], {
        enableOfflineQueue: false,
        enableReadyCheck: true,
        clusterRetryStrategy: backoffMs,
        retryDelayOnFailover: 100,
        retryDelayOnClusterDown: 100,
        maxRedirections: 10,
        redisOptions: shared,
        // With TLS the nodes' certificates are for their names; the addresses that nodes announce are kept as they are.
        ...(address.tls ? { dnsLookup: (host, done) => done(null, host) } : {}),
      });
    case 'sentinel':
      return new Redis({
        ...shared,
        enableOfflineQueue: false,
        retryStrategy: backoffMs,
        sentinelRetryStrategy: backoffMs,
        sentinels: [...address.hosts],
        name: address.masterName ?? '',
        enableTLSForSentinelMode: address.tls,
        ...(address.tls ? { sentinelTLS: {} } : {}),
        sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
        ...(address.sentinelUsername === undefined ? {} : { sentinelUsername: address.sentinelUsername }),
        ...(address.sentinelPassword === undefined ? {} : { sentinelPassword: address.sentinelPassword }),
        failoverDetector: true,
      });
    case 'single':
      return new Redis({ ...shared, ...first, enableOfflineQueue: false, retryStrategy: backoffMs });
    default:
      throw new RangeError(`unknown form ${address.form satisfies never}`);
  }
}

/** Doubles up to two seconds, with a random half taken off so that a thousand clients do not come as one. */
function backoffMs(attempt: number): number {
  const full = Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10), BACKOFF_MAX_MS);
  return Math.round(full * (0.5 + Math.random() / 2));
}

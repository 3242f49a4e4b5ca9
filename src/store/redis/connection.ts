/**
 * The connection to Redis: one server, Sentinel or Cluster. While Redis is unavailable commands fail at once: nothing is
 * queued in memory, and the caller decides whether to retry. A connection that does not respond is closed and reopened, so
 * that a server that hangs is detected.
 */
import { Cluster, Redis } from 'ioredis';
import { withTimeout } from '../../lib/timeout.js';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import { TurnCork } from '../shared/turn-cork.js';
import type { RedisAddress, RedisHost } from './address.js';
import { COMMAND_TIMEOUT_MS, openClient, openSubscriber, type RedisClient } from './client.js';
import { ALL_SCRIPTS } from './scripts/all.js';
import type { Script } from './scripts/script.js';

/** A failing start must exit within three seconds, so that its supervisor restarts it. */
const FIRST_CONNECT_MS = 1_500;

export type Argument = string | number;
export type Send = (command: string, ...args: readonly Argument[]) => Promise<unknown>;

/** Errors of a server that is reachable but temporarily rejects the command. */
const AWAY_REPLIES =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|UNKILLABLE|NOAUTH|NOPERM|WRONGPASS)\b/;
/** Permanent errors: a start that gets one fails at once. */
const REFUSALS = /NOAUTH|NOPERM|WRONGPASS|invalid (username|password)|ERR DB index|certificate|self.signed/i;

/** A refusal that lasts is logged again after this time. */
const REFUSAL_AGAIN_MS = 60_000;

export class RedisConnection {
  readonly #client: RedisClient;
  readonly #address: RedisAddress;
  readonly #log: Log;
  readonly #listeners = new Set<(available: boolean) => void>();
  readonly #cork = new TurnCork();
  #available = false;
  #lastError = '';
  /** The first word of the reply by which Redis refuses commands, until it takes a write, and when a line told of it. */
  #refusal = '';
  #toldMs = 0;
  /** The client reconnects after READONLY, to find the new master: no line for that besides the one of the refusal. */
  #isReconnecting = false;
  #closed = false;

  /** @throws StoreUnavailableError if Redis cannot be reached within 1.5 s or rejects the client */
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

  /** For libraries that send their own commands. */
  get client(): object {
    return this.#client.client;
  }

  private constructor(address: RedisAddress, log: Log) {
    this.#address = address;
    this.#log = log;
    this.#client = openClient(address);
    const { client } = this.#client;
    preloadScripts(client);
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
      // A slot may have moved to a replica that lacks the last writes: listeners must check what they wrote.
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

  /** Called whenever the connection is lost or restored, and when the nodes of a cluster change. */
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
      const { client } = this.#client;
      if (client instanceof Redis) this.#cork.hold(client.stream);
      const answer = client.call(command, ...args);
      // In a cluster the timeout of ioredis applies to each of up to ten attempts.
      const reply = await (this.isCluster ? withTimeout(answer, COMMAND_TIMEOUT_MS, noAnswer) : answer);
      if (command === 'SET') this.#accepted();
      return reply;
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /** Runs a script. In a cluster all its keys must have the same hash tag. @throws StoreUnavailableError */
  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    try {
      return await this.send('EVALSHA', script.sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.send('EVAL', script.lua, keys.length, ...keys, ...args);
    }
  }

  /** A sender for each server, for commands that address a node instead of a key. */
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

  /** Opens a separate connection for subscriptions. */
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
      if (this.#isReconnecting)
        this.#log.debug({ ...fields, available }, 'the connection to Redis is made anew after a refusal');
      else if (available) this.#log.info(fields, 'Redis is available');
      else this.#log.warn(fields, 'Redis is unavailable');
    }
    if (available) this.#isReconnecting = false;
    for (const listener of [...this.#listeners]) listener(available);
  }

  #refused(error: Error, reply: string): StoreUnavailableError {
    const [refusal = ''] = reply.split(' ', 1);
    const nowMs = performance.now();
    if (refusal !== this.#refusal || nowMs - this.#toldMs > REFUSAL_AGAIN_MS) {
      this.#log.warn({ redis: this.shown, cause: reply }, 'Redis refuses commands');
      this.#toldMs = nowMs;
    }
    this.#refusal = refusal;
    this.#isReconnecting ||= refusal.endsWith('READONLY') && this.#available;
    return this.#away(error);
  }

  #accepted(): void {
    if (this.#refusal === '') return;
    this.#refusal = '';
    this.#log.info({ redis: this.shown }, 'Redis accepts commands again');
  }

  #tellAgain(): void {
    if (!this.#available) return;
    for (const listener of [...this.#listeners]) listener(true);
  }

  #away(cause?: unknown): StoreUnavailableError {
    return new StoreUnavailableError(`Redis at ${this.shown} is unavailable`, { cause: cause ?? this.#lastError });
  }

  #translated(error: unknown): Error {
    if (!(error instanceof Error)) return this.#away(error);
    // A ReplyError is an answer of Redis; any other error is a fault of the connection.
    if (error.name !== 'ReplyError') return error instanceof TypeError ? error : this.#away(error);
    const message = error.message.replace(/^ERR Error running script[^:]*: /, '');
    return AWAY_REPLIES.test(message) || /-?\b(OOM|READONLY|MISCONF)\b/.test(message)
      ? this.#refused(error, message)
      : error;
  }
}

function noAnswer(): never {
  throw new Error('no node of the cluster answered in time');
}

/**
 * Loads the scripts into each server before any other command of its connection. A script that a server lacks is sent a
 * second time after the answer NOSCRIPT, and the calls behind it, whose scripts the server has, would overtake it. Call it
 * before other listeners to `ready`, which may send commands at once.
 */
function preloadScripts(client: Redis | Cluster): void {
  client.on('ready', () => {
    for (const server of client instanceof Cluster ? client.nodes('master') : [client]) load(server);
  });
  // ioredis connects to a lost node anew as another object. A replica gets no commands, so it needs no connection. Which
  // nodes are replicas is unknown before the cluster is ready.
  client.on('+node', (node: Redis) => {
    if (client.status === 'ready' && node.options.readOnly !== true) load(node);
  });
}

function load(server: Redis): void {
  for (const { lua } of ALL_SCRIPTS) {
    // A user without permission for it, or a server that is starting: the answer NOSCRIPT is handled at the call.
    server.script('LOAD', lua).catch(() => undefined);
  }
}

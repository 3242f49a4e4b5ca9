/**
 * Events across processes by Redis pub/sub. A process delivers its own events directly, so that its dashboard and webhooks
 * work while Redis is unavailable; events of other processes are lost meanwhile, and readers resume by revision.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Bus, Log } from '../../ports/index.js';
import { LocalBus } from '../shared/local-bus.js';
import type { RedisClient } from './client.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';

/** An idle subscription has no traffic: a ping checks whether the server still responds. */
const PING_EVERY_MS = 5_000;

export class RedisBus implements Bus {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #local: LocalBus;
  readonly #log: Log;
  readonly #origin = randomUUID();
  /** Listeners by topic. */
  readonly #topics = new Map<string, number>();
  readonly #subscriber: RedisClient<Redis>;
  readonly #timer: NodeJS.Timeout;
  #lost = 0;

  constructor(connection: RedisConnection, keys: RedisKeys, log: Log) {
    this.#connection = connection;
    this.#keys = keys;
    this.#log = log;
    this.#local = new LocalBus(log);
    this.#subscriber = connection.subscriber();
    const { client } = this.#subscriber;
    client.on('error', () => undefined);
    client.on('message', (channel: string, text: string) => this.#received(channel, text));
    client.on('ready', () => this.#tell('subscribe', [...this.#topics.keys()]));
    this.#timer = setInterval(() => {
      if (client.status === 'ready' && this.#topics.size > 0) client.ping().catch(() => undefined);
    }, PING_EVERY_MS).unref();
  }

  publish(topic: string, message: unknown): void {
    this.#local.publish(topic, message);
    const text = `${this.#origin}${JSON.stringify(message ?? null)}`;
    this.#connection.send('PUBLISH', this.#keys.channel(topic), text).then(
      () => {
        if (this.#lost > 0)
          this.#log.warn(
            { lost: this.#lost },
            'events were not sent to the other processes while Redis was unavailable',
          );
        this.#lost = 0;
      },
      () => {
        this.#lost += 1;
      },
    );
  }

  subscribe(topic: string, listener: (message: unknown, topic: string) => void): () => void {
    const stop = this.#local.subscribe(topic, listener);
    const listeners = this.#topics.get(topic) ?? 0;
    this.#topics.set(topic, listeners + 1);
    if (listeners === 0) this.#tell('subscribe', [topic]);
    let stopped = false;
    return () => {
      if (stopped) return;
      stopped = true;
      stop();
      const left = (this.#topics.get(topic) ?? 1) - 1;
      this.#topics.set(topic, left);
      if (left > 0) return;
      this.#topics.delete(topic);
      this.#tell('unsubscribe', [topic]);
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#local.close();
    this.#subscriber.close();
  }

  /** A failed command is repeated when the subscriber is ready. */
  #tell(command: 'subscribe' | 'unsubscribe', topics: readonly string[]): void {
    const { client } = this.#subscriber;
    if (topics.length === 0 || client.status !== 'ready') return;
    client[command](...topics.map((topic) => this.#keys.channel(topic))).catch(() => undefined);
  }

  #received(channel: string, text: string): void {
    if (text.startsWith(this.#origin)) return;
    const topic = channel.slice(this.#keys.channel('').length);
    try {
      this.#local.publish(topic, JSON.parse(text.slice(this.#origin.length)));
    } catch (error) {
      this.#log.warn({ error, channel }, 'unknown message on the bus');
    }
  }
}

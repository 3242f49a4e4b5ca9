/**
 * Events across processes by Redis pub/sub. A process delivers its own events directly, so that its dashboard and webhooks
 * work while Redis is unavailable; events of other processes are lost meanwhile, and readers resume by revision.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Bus, Log } from '../../ports/index.js';
import { type Subscribing, Subscriptions } from '../shared/subscriptions.js';
import type { RedisClient } from './client.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';

/** An idle subscription has no traffic: a ping checks whether the server still responds. */
const PING_EVERY_MS = 5_000;

export class RedisBus implements Bus {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #subscriptions: Subscriptions;
  readonly #log: Log;
  readonly #origin = randomUUID();
  readonly #subscriber: RedisClient<Redis>;
  readonly #timer: NodeJS.Timeout;
  #lost = 0;

  constructor(connection: RedisConnection, keys: RedisKeys, log: Log) {
    this.#connection = connection;
    this.#keys = keys;
    this.#log = log;
    this.#subscriber = connection.subscriber();
    this.#subscriptions = new Subscriptions(log, (command, topics) => this.#send(command, topics));
    const { client } = this.#subscriber;
    client.on('error', () => undefined);
    client.on('message', (channel: string, text: string) => this.#received(channel, text));
    client.on('ready', () => this.#subscriptions.resend());
    this.#timer = setInterval(() => {
      if (client.status === 'ready' && !this.#subscriptions.isEmpty) client.ping().catch(() => undefined);
    }, PING_EVERY_MS).unref();
  }

  publish(topic: string, message: unknown): void {
    this.#subscriptions.deliver(topic, message);
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
    return this.#subscriptions.subscribe(topic, listener);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#subscriptions.close();
    this.#subscriber.close();
  }

  /** A failed command is repeated when the subscriber is ready. */
  #send(command: Subscribing, topics: readonly string[]): void {
    const { client } = this.#subscriber;
    if (client.status !== 'ready') return;
    client[command](...topics.map((topic) => this.#keys.channel(topic))).catch(() => undefined);
  }

  #received(channel: string, text: string): void {
    if (text.startsWith(this.#origin)) return;
    const topic = channel.slice(this.#keys.channel('').length);
    try {
      this.#subscriptions.deliver(topic, JSON.parse(text.slice(this.#origin.length)));
    } catch (error) {
      this.#log.warn({ error, channel }, 'unknown message on the bus');
    }
  }
}

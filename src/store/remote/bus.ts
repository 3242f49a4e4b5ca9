/**
 * Events across the processes of one machine, through the store process. A process delivers its own events directly, also
 * while the store process is unavailable; events of other processes are lost meanwhile, and readers resume by revision.
 */
import type { Bus, Log } from '../../ports/index.js';
import { LocalBus } from '../shared/local-bus.js';
import type { StoreConnection } from './connection.js';

export class RemoteBus implements Bus {
  readonly #connection: StoreConnection;
  readonly #local: LocalBus;
  readonly #log: Log;
  /** Listeners by topic. */
  readonly #topics = new Map<string, number>();
  #lost = 0;

  constructor(connection: StoreConnection, log: Log) {
    this.#connection = connection;
    this.#log = log;
    this.#local = new LocalBus(log);
    connection.onEvent((topic, message) => this.#local.publish(topic, message));
    connection.onAvailability((available) => {
      if (available && this.#topics.size > 0) this.#tell('subscribe', [...this.#topics.keys()]);
    });
  }

  publish(topic: string, message: unknown): void {
    this.#local.publish(topic, message);
    if (!this.#connection.publish(topic, message)) {
      this.#lost += 1;
      return;
    }
    if (this.#lost > 0) {
      this.#log.warn(
        { lost: this.#lost },
        'events were not sent to the other processes while the store process was unavailable',
      );
    }
    this.#lost = 0;
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
    this.#local.close();
  }

  /** A failed call is repeated when the store process is available again. */
  #tell(name: 'subscribe' | 'unsubscribe', topics: readonly string[]): void {
    this.#connection.call(name, topics).catch(() => undefined);
  }
}

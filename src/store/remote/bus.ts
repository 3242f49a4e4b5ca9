/**
 * Events across the processes of one machine, through the store process. A process delivers its own events directly, also
 * while the store process is unavailable; events of other processes are lost meanwhile, and readers resume by revision.
 */
import type { Bus, Log } from '../../ports/index.js';
import { Subscriptions } from '../shared/subscriptions.js';
import type { StoreConnection } from './connection.js';

export class RemoteBus implements Bus {
  readonly #connection: StoreConnection;
  readonly #subscriptions: Subscriptions;
  readonly #log: Log;
  #lost = 0;

  constructor(connection: StoreConnection, log: Log) {
    this.#connection = connection;
    this.#log = log;
    // A failed call is repeated when the store process is available again.
    this.#subscriptions = new Subscriptions(log, (command, topics) => {
      connection.call(command, topics).catch(() => undefined);
    });
    connection.onEvent((topic, message) => this.#subscriptions.deliver(topic, message));
    connection.onAvailability((available) => {
      if (available) this.#subscriptions.resend();
    });
  }

  publish(topic: string, message: unknown): void {
    this.#subscriptions.deliver(topic, message);
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
    return this.#subscriptions.subscribe(topic, listener);
  }

  close(): void {
    this.#subscriptions.close();
  }
}

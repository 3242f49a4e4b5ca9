/** Events inside one process: delivered in order after the publisher's turn; an error of one listener does not affect others. */
import type { Bus, Log } from '../../ports/index.js';

type Listener = (message: unknown, topic: string) => void;

export class LocalBus implements Bus {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #log: Log;
  #queue: { readonly topic: string; readonly message: unknown }[] = [];
  #scheduled = false;

  constructor(log: Log) {
    this.#log = log;
  }

  publish(topic: string, message: unknown): void {
    if (!this.#listeners.has(topic)) return;
    this.#queue.push({ topic, message });
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }

  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    // A function that is subscribed twice has two subscriptions.
    const own: Listener = (message, at) => listener(message, at);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  close(): void {
    this.#listeners.clear();
  }

  #deliver(): void {
    const queue = this.#queue;
    this.#queue = [];
    this.#scheduled = false;
    for (const { topic, message } of queue) {
      for (const listener of [...(this.#listeners.get(topic) ?? [])]) {
        try {
          listener(message, topic);
        } catch (error) {
          this.#log.error({ error, topic }, 'a listener of the bus failed');
        }
      }
    }
  }
}

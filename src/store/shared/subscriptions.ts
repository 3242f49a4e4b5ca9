/**
 * The subscriptions of one process to events of other processes: the transport subscribes to a topic with its first listener
 * and unsubscribes with its last. The events of this process are delivered without the transport.
 */
import type { Log } from '../../ports/index.js';
import { LocalBus } from './local-bus.js';

export type Subscribing = 'subscribe' | 'unsubscribe';

export class Subscriptions {
  readonly #local: LocalBus;
  readonly #send: (command: Subscribing, topics: readonly string[]) => void;
  /** Listeners by topic. */
  readonly #topics = new Map<string, number>();

  /** `send` may fail: `resend` repeats all subscriptions once the transport works again. */
  constructor(log: Log, send: (command: Subscribing, topics: readonly string[]) => void) {
    this.#local = new LocalBus(log);
    this.#send = send;
  }

  /** To the listeners of this process. */
  deliver(topic: string, message: unknown): void {
    this.#local.publish(topic, message);
  }

  subscribe(topic: string, listener: (message: unknown, topic: string) => void): () => void {
    const stop = this.#local.subscribe(topic, listener);
    const listeners = this.#topics.get(topic) ?? 0;
    this.#topics.set(topic, listeners + 1);
    if (listeners === 0) this.#send('subscribe', [topic]);
    let stopped = false;
    return () => {
      if (stopped) return;
      stopped = true;
      stop();
      const left = (this.#topics.get(topic) ?? 1) - 1;
      this.#topics.set(topic, left);
      if (left > 0) return;
      this.#topics.delete(topic);
      this.#send('unsubscribe', [topic]);
    };
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  resend(): void {
    if (!this.isEmpty) this.#send('subscribe', [...this.#topics.keys()]);
  }

  close(): void {
    this.#local.close();
  }
}

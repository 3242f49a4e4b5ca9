/** Observed values of the broadcasts that sessions read, for the live feed: read at intervals, and sent when they differ. */
import type { LiveVideoData } from '../../lifecycle/documents.js';
import {
  type Broadcasts,
  type DetectorState,
  type Log,
  type Store,
  type StreamHealth,
  stateFor,
  VOLATILE,
} from '../../ports/index.js';
import type { FeedMessage, HealthView } from '../view/protocol.js';
import { healthView, inputView } from '../view/views.js';

export interface HealthFeedDeps {
  readonly store: Store;
  readonly broadcasts: Pick<Broadcasts, 'health' | 'inputHealth'>;
  readonly log: Log;
  /** To the sessions that read this broadcast. */
  send(broadcastId: string, text: string): void;
}

export class HealthFeed {
  readonly #deps: HealthFeedDeps;
  /** Last text sent, by broadcast: skips repeats, and sends `null` once when the stream is gone. */
  readonly #sent = new Map<string, string>();
  /** Both input streams of the broadcasts that have two: they do not change once an encoder has connected. */
  readonly #inputs = new Map<string, readonly string[]>();
  #polling = false;
  #detector: DetectorState | undefined;

  constructor(deps: HealthFeedDeps) {
    this.#deps = deps;
  }

  async poll(ids: ReadonlySet<string>): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      for (const known of [this.#sent, this.#inputs]) for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      if (ids.size > 0) this.#detector = await this.#detectorState();
      await Promise.all([...ids].map((id) => this.#send(id)));
    } catch (error) {
      this.#deps.log.debug({ error }, 'could not read observed values for the live feed');
    } finally {
      this.#polling = false;
    }
  }

  /** The next poll sends all values again. */
  forget(): void {
    this.#sent.clear();
  }

  async #detectorState(): Promise<DetectorState | undefined> {
    return (await this.#deps.store.volatile.get(VOLATILE.copyrightDetector)) as DetectorState | undefined;
  }

  /** For the owner of the broadcast, who is read only if there are owners to whom no reference applies. */
  async #checkOf(id: string): Promise<DetectorState['state'] | undefined> {
    if (!this.#detector?.exempt?.length) return this.#detector?.state;
    const live = await this.#deps.store.objects.get<LiveVideoData>(id);
    return stateFor(this.#detector, live?.data.ownerId ?? '');
  }

  async #inputsOf(id: string, { inputStream }: StreamHealth): Promise<Pick<HealthView, 'inputs'>> {
    if (inputStream === undefined) return {};
    const { store, broadcasts } = this.#deps;
    const ids = this.#inputs.get(id) ?? (await store.objects.get<LiveVideoData>(id))?.data.inputStreamIds ?? [];
    this.#inputs.set(id, ids);
    const both = await Promise.all(ids.map(async (each) => [each, await broadcasts.inputHealth(id, each)] as const));
    return { inputs: both.flatMap(([each, health]) => (health?.connected === true ? [inputView(health, each)] : [])) };
  }

  async #send(id: string): Promise<void> {
    const health = await this.#deps.broadcasts.health(id);
    if (health === undefined && !this.#sent.has(id)) return;
    const message: FeedMessage = {
      type: 'health',
      broadcast_id: id,
      health: health ? { ...healthView(health, await this.#checkOf(id)), ...(await this.#inputsOf(id, health)) } : null,
    };
    const text = JSON.stringify(message);
    if (health === undefined) this.#sent.delete(id);
    else if (this.#sent.get(id) === text) return;
    else this.#sent.set(id, text);
    this.#deps.send(id, text);
  }
}

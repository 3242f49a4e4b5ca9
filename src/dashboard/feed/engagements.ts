/** Comments, reactions and polls for the live feed: which of them changed, gathered, so that a burst is one message. */
import { FEED_LIMITS } from '../view/limits.js';
import type { Engaged, FeedMessage } from '../view/protocol.js';

export interface EngagementMessage {
  readonly what: string;
  /** ID of the video; that of a live video for some polls. */
  readonly videoId: string;
}

export interface EngagementsDeps {
  /** The broadcast with this ID, or of the video with this ID, if a subscriber reads it. */
  broadcastOf(id: string): string | undefined;
  send(broadcastId: string, text: string): void;
}

const CHANGED: Readonly<Record<string, Engaged>> = {
  comment: 'comments',
  moderation: 'comments',
  reaction: 'reactions',
  poll: 'polls',
  forward: 'forwards',
};

interface Gathered {
  readonly broadcastId: string;
  readonly changed: Set<Engaged>;
  timer: NodeJS.Timeout;
}

export class Engagements {
  readonly #deps: EngagementsDeps;
  /** By the ID in the messages; bounded by the subscriptions. */
  readonly #gathered = new Map<string, Gathered>();

  constructor(deps: EngagementsDeps) {
    this.#deps = deps;
  }

  /** The first of a burst is sent at once, and the rest of it together. */
  add({ what, videoId }: EngagementMessage): void {
    const changed = CHANGED[what];
    if (changed === undefined) return;
    const gathered = this.#gathered.get(videoId);
    if (gathered !== undefined) {
      gathered.changed.add(changed);
      return;
    }
    const broadcastId = this.#deps.broadcastOf(videoId);
    if (broadcastId === undefined) return;
    this.#send(broadcastId, [changed]);
    const timer = this.#later(videoId);
    this.#gathered.set(videoId, { broadcastId, changed: new Set(), timer });
  }

  close(): void {
    for (const { timer } of this.#gathered.values()) clearTimeout(timer);
    this.#gathered.clear();
  }

  #later(videoId: string): NodeJS.Timeout {
    return setTimeout(() => this.#flush(videoId), FEED_LIMITS.engagementMs).unref();
  }

  #flush(videoId: string): void {
    const gathered = this.#gathered.get(videoId);
    if (gathered === undefined) return;
    if (gathered.changed.size === 0) {
      this.#gathered.delete(videoId);
      return;
    }
    this.#send(gathered.broadcastId, [...gathered.changed]);
    gathered.changed.clear();
    gathered.timer = this.#later(videoId);
  }

  #send(broadcastId: string, changed: readonly Engaged[]): void {
    const message: FeedMessage = { type: 'engagement', broadcast_id: broadcastId, changed };
    this.#deps.send(broadcastId, JSON.stringify(message));
  }
}

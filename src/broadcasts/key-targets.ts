/** Where a publish with a stream key goes: to the live video of the key, or to the current one of the Page, or to a new one. */

import { defined } from '../lib/objects.js';
import type { LiveVideoData, OwnerData } from '../lifecycle/documents.js';
import { isOver } from '../lifecycle/lifecycle.js';
import { retryConflicts, type StoredObject, TOPIC } from '../ports/index.js';
import type { BroadcastService } from './broadcast-service.js';
import type { BroadcastDeps, ParsedKey } from './deps.js';
import type { LiveVideo } from './state-writer.js';

/** Where a publish goes: to `live`, or to a new live video of `page` that follows `live`. */
type Target = { readonly ownerId: string } & (
  | { readonly opensNew: false; readonly live: LiveVideo }
  | { readonly opensNew: true; readonly live: LiveVideo | undefined; readonly page: StoredObject<OwnerData> }
);

export class KeyTargets {
  readonly #deps: BroadcastDeps;
  readonly #broadcasts: BroadcastService;

  constructor(deps: BroadcastDeps, broadcasts: BroadcastService) {
    this.#deps = deps;
    this.#broadcasts = broadcasts;
  }

  /** The live video of this key, or undefined if the key is not valid. */
  async find(key: ParsedKey): Promise<LiveVideo | undefined> {
    // Another publish, or the quickstart of a start, may give the Page its next live video first: then it is that one.
    return retryConflicts(async () => {
      const target = await this.of(key);
      return target?.opensNew ? this.#openNew(target.page, target.live) : target?.live;
    });
  }

  /** Where a publish with this key goes, or undefined if the key is not valid. */
  async of(key: ParsedKey): Promise<Target | undefined> {
    const found = await this.#deps.store.objects.get(key.id);
    if (found?.kind === 'live_video') {
      const live = found as LiveVideo;
      const isValid = this.#deps.keys.matches(key.id, live.data.keyVersion, key.secret);
      // A cross-posted copy shows the stream of its original.
      return isValid && live.data.crosspostOf === undefined
        ? { opensNew: false, ownerId: live.data.ownerId, live }
        : undefined;
    }
    if (found?.kind === 'page') {
      const page = found as StoredObject<OwnerData>;
      const version = page.data.persistentKeyVersion;
      if (version === undefined || !this.#deps.keys.matches(key.id, version, key.secret)) return undefined;
      return this.#persistentTarget(page);
    }
    // Compare for an unknown id too, so that the response time does not reveal whether it exists.
    this.#deps.keys.matches(key.id, 1, key.secret);
    return undefined;
  }

  /** The Page's current live video, or a new one if the current one has ended. */
  async #persistentTarget(page: StoredObject<OwnerData>): Promise<Target> {
    const { store, clock } = this.#deps;
    const currentId = page.data.persistentLiveVideoId;
    const live = currentId === undefined ? undefined : await store.objects.get<LiveVideoData>(currentId);
    const receives =
      live !== undefined && (!isOver(live.data.status) || this.#repeatsEndReason(live.data, clock.wallMs()));
    return receives ? { opensNew: false, ownerId: page.id, live } : { opensNew: true, ownerId: page.id, live, page };
  }

  async #openNew(page: StoredObject<OwnerData>, current: LiveVideo | undefined): Promise<LiveVideo> {
    const { store } = this.#deps;
    const { title, privacy } = current?.data ?? {};
    const live = await this.#broadcasts.createNext(page, defined({ title, privacy }));
    store.bus.publish(TOPIC.persistentLive, { ownerId: page.id, liveVideoId: live.id });
    return live;
  }

  /**
   * An encoder that reconnects automatically must not continue a broadcast that was stopped for its content: within the
   * grace time it is refused with the same reason. After the 8-hour limit the next publish opens a new broadcast at once.
   */
  #repeatsEndReason(data: LiveVideoData, nowMs: number): boolean {
    if (data.endReason === undefined || data.endReason.code === 6501) return false;
    return nowMs - (data.endedMs ?? 0) < this.#deps.settings.reconnectGraceMs;
  }
}

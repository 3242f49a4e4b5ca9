/** Where a publish with a stream key goes: to the live video of the key, or to the current one of the Page, or to a new one. */

import { defined } from '../lib/objects.js';
import type { InputNumber, LiveVideoData, OwnerData } from '../lifecycle/documents.js';
import { isOver } from '../lifecycle/lifecycle.js';
import { inputStreamOf, retryConflicts, type StoredObject, TOPIC } from '../ports/index.js';
import type { BroadcastService } from './broadcast-service.js';
import type { BroadcastDeps, ParsedKey } from './deps.js';
import type { LiveVideo } from './state-writer.js';

/** Where a publish goes: to `live`, or to a new live video of `page` that follows `live`. */
type Target = { readonly ownerId: string; readonly input: InputNumber } & (
  | { readonly opensNew: false; readonly live: LiveVideo }
  | { readonly opensNew: true; readonly live: LiveVideo | undefined; readonly page: StoredObject<OwnerData> }
);

/** A live video, and which of its input streams a key leads to. */
export interface KeyTarget {
  readonly live: LiveVideo;
  readonly input: InputNumber;
}

/** Names a stream key among those of its owner. */
export const keyName = (id: string, input: InputNumber): string => (input === '0' ? id : `${id}:backup`);

export class KeyTargets {
  readonly #deps: BroadcastDeps;
  readonly #broadcasts: BroadcastService;

  constructor(deps: BroadcastDeps, broadcasts: BroadcastService) {
    this.#deps = deps;
    this.#broadcasts = broadcasts;
  }

  /** The live video of this key, or undefined if the key is not valid. */
  async find(key: ParsedKey): Promise<KeyTarget | undefined> {
    // Another publish, or the quickstart of a start, may give the Page its next live video first: then it is that one.
    return retryConflicts(async () => {
      const target = await this.of(key);
      if (target === undefined) return undefined;
      const { input } = target;
      return { live: target.opensNew ? await this.#openNew(target.page, target.live) : target.live, input };
    });
  }

  /** Where a publish with this key goes, or undefined if the key is not valid. */
  async of(key: ParsedKey): Promise<Target | undefined> {
    const found = await this.#deps.store.objects.get(key.id);
    if (found?.kind === 'live_video') {
      const live = found as LiveVideo;
      const input = this.#inputOf(key, live.data.keyVersion);
      // A cross-posted copy shows the stream of its original.
      return hasInput(live, input) && live.data.crosspostOf === undefined
        ? { opensNew: false, ownerId: live.data.ownerId, live, input }
        : undefined;
    }
    if (found?.kind === 'page') {
      const page = found as StoredObject<OwnerData>;
      const version = page.data.persistentKeyVersion;
      const input = version === undefined ? undefined : this.#inputOf(key, version);
      return input === undefined ? undefined : this.#persistentTarget(page, input);
    }
    // Compare for an unknown id too, so that the response time does not reveal whether it exists.
    this.#inputOf(key, 1);
    return undefined;
  }

  /** Compares with both keys, so that the response time does not reveal whose key it is. */
  #inputOf({ id, secret }: ParsedKey, version: number): InputNumber | undefined {
    const { keys } = this.#deps;
    const [isPrimary, isBackup] = [keys.matches(id, version, secret), keys.matches(id, version, secret, '1')];
    return isPrimary ? '0' : isBackup ? '1' : undefined;
  }

  /** The Page's current live video, or a new one if the current one has ended. */
  async #persistentTarget(page: StoredObject<OwnerData>, input: InputNumber): Promise<Target | undefined> {
    const { store, clock } = this.#deps;
    const currentId = page.data.persistentLiveVideoId;
    const live = currentId === undefined ? undefined : await store.objects.get<LiveVideoData>(currentId);
    // The next live video has a backup if this one has.
    if (input === '1' && !(live !== undefined && hasInput(live, input))) return undefined;
    const of = { ownerId: page.id, input };
    const receives = live !== undefined && (!isOver(live.data) || this.#repeatsEndReason(live.data, clock.wallMs()));
    return receives ? { opensNew: false, ...of, live } : { opensNew: true, ...of, live, page };
  }

  async #openNew(page: StoredObject<OwnerData>, current: LiveVideo | undefined): Promise<LiveVideo> {
    const { store } = this.#deps;
    const { title, privacy } = current?.data ?? {};
    const hasBackup = current !== undefined && hasInput(current, '1');
    const described = { ...defined({ title, privacy }), ...(hasBackup ? { backup: true } : {}) };
    const live = await this.#broadcasts.createNext(page, described);
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

/** A live video without a backup receives its stream with the first key only. */
const hasInput = ({ data }: LiveVideo, input: InputNumber | undefined): input is InputNumber =>
  input === '0' || (input === '1' && inputStreamOf(data, input) !== undefined);

/** Entry point to the lifecycle for the HTTP interface and the command line (port `Broadcasts`). */

import { defined } from '../lib/objects.js';
import type { InputNumber, LiveVideoData, OwnerData } from '../lifecycle/documents.js';
import { earlyRefusal, goLiveRefusal } from '../lifecycle/eligibility.js';
import { advance, DELETED, isOver, type LifecycleInput } from '../lifecycle/lifecycle.js';
import { retuneOf, whyNotRetuned } from '../lifecycle/retune.js';
import {
  type BroadcastRequest,
  type Broadcasts,
  DERIVED_ID,
  type Deletable,
  edgeOf,
  type NewLiveVideo,
  ownedVideos,
  type StateMessage,
  type StoredObject,
  type StreamHealth,
  type StreamUrls,
  SYSTEM_EDGES,
  TOPIC,
  VOLATILE,
  type Write,
} from '../ports/index.js';
import { isOwnerKind } from '../spec/owner-kinds.js';
import { parameterError, subcodeError } from '../spec/service-errors.js';
import { copyRemoval, copyWrites, takesCopies } from './crossposts.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import { newBroadcast } from './new-broadcast.js';
import type { Publication } from './publication.js';
import { copyrightViolation } from './publisher/close-reasons.js';
import type { LiveVideo, Moved, StateWriter } from './state-writer.js';

/** The streams of broadcasts: of this process (`Publications`), or of others (`StreamsElsewhere`). */
export interface Streams {
  /** The publication that this process receives. */
  get(liveVideoId: string): Pick<Publication, 'health' | 'dataFlows'> | undefined;
  /** One of two input streams that this process receives. */
  getInput(liveVideoId: string, inputStreamId: string): Pick<Publication, 'health'> | undefined;
  putOnAir(liveVideoId: string, inputStreamId: string): void;
  /** Whether the primary of two input streams returns by itself was changed. */
  backupReturn(live: LiveVideo): void;
  /** Applies a transition to the stream, wherever it is received. */
  applyEffects(moved: Moved): Promise<void>;
  /** Lets the encoder go, so that it asks for its settings again. */
  retune(live: LiveVideo): void;
}

export class BroadcastService implements Broadcasts {
  readonly #deps: BroadcastDeps;
  readonly #states: StateWriter;
  readonly #streams: Streams;

  constructor(deps: BroadcastDeps, states: StateWriter, streams: Streams) {
    this.#deps = deps;
    this.#states = states;
    this.#streams = streams;
  }

  async create(input: NewLiveVideo, also: (liveVideoId: string) => readonly Write[] = () => []): Promise<LiveVideo> {
    const { store, clock, ids } = this.#deps;
    const owner = await this.#owner(input.ownerId);
    await this.#deps.quota.requireObject(owner.id);
    const nowMs = clock.wallMs();
    const made = newBroadcast(
      input,
      owner,
      {
        liveVideo: ids.next(),
        video: ids.next(),
        inputStream: ids.next(),
        ...(input.backup === true ? { backup: ids.next() } : {}),
      },
      nowMs,
    );
    const refusal = (input.status === 'LIVE_NOW' ? goLiveRefusal : earlyRefusal)(owner.data, made.live.data, nowMs);
    if (refusal !== undefined) throw refusal;
    await store.objects.commit([...made.writes, ...also(made.live.id)]);
    this.#announce(made.live);
    return made.live;
  }

  async createNext(
    { id, kind, createdMs, version, data }: StoredObject<OwnerData>,
    described: Pick<NewLiveVideo, 'title' | 'privacy' | 'backup'>,
  ): Promise<LiveVideo> {
    const updatedMs = this.#deps.clock.wallMs();
    return this.create({ ownerId: id, ...described }, (persistentLiveVideoId) => [
      {
        op: 'put',
        object: { id, kind, createdMs, updatedMs, data: { ...data, persistentLiveVideoId } },
        expect: version,
      },
    ]);
  }

  /** Publishes creation and deletion to subscribers of the owner's state. */
  #announce({ id, data: { ownerId, status, stream } }: LiveVideo): void {
    const message: StateMessage = { liveVideoId: id, ownerId, status, stream, atMs: this.#deps.clock.wallMs() };
    this.#deps.store.bus.publish(TOPIC.state, message);
  }

  async request(liveVideoId: string, request: BroadcastRequest, also: readonly Write[] = []): Promise<LiveVideo> {
    const wallMs = this.#deps.clock.wallMs();
    switch (request.type) {
      case 'edit':
        return this.#edit(liveVideoId, request.fields, also);
      case 'persistent-key':
        return this.#persistentKey(liveVideoId, request.action, also);
      case 'crosspost':
        return this.#crosspost(liveVideoId, request.pageIds, also);
      case 'uncrosspost':
        return this.#uncrosspost(liveVideoId, request.copyIds, also);
      case 'copyright-stop':
        return this.#copyrightStop(liveVideoId, request.pageName, wallMs, also);
      case 'go-live': {
        const dataFlows = this.#streams.get(liveVideoId)?.dataFlows ?? false;
        return this.#move(liveVideoId, { type: 'go-live', wallMs, dataFlows }, also, async (live) => {
          const refusal = goLiveRefusal((await this.#owner(live.data.ownerId)).data, live.data, wallMs);
          if (refusal !== undefined) throw refusal;
          await this.#noOpenErrorsUnderStrict(liveVideoId);
        });
      }
      case 'schedule':
        return this.#toGoLive(liveVideoId, { type: 'schedule', wallMs, plannedStartMs: request.plannedStartMs }, also);
      case 'scheduled-live':
        return this.#toGoLive(liveVideoId, { type: 'scheduled-live', wallMs }, also);
      case 'cancel':
        return this.#move(liveVideoId, { type: 'cancel', wallMs }, also);
      case 'retune':
        return this.#retune(liveVideoId, request.fields, wallMs, also);
      case 'put-on-air':
        return this.#putOnAir(liveVideoId, request.inputStreamId, also);
      case 'end':
        return this.#move(liveVideoId, { type: 'end', wallMs, ...(await this.#lastPacket(liveVideoId)) }, also);
    }
  }

  async endForDeletion(liveVideoId: string, asked: 'live_video' | 'video'): Promise<Deletable> {
    const live = await this.#ended(liveVideoId, asked);
    const { status } = live.data;
    if (status === 'PROCESSING') {
      throw subcodeError('LIVE_VIDEO__DELETE_FAILED', 'Its recording is being processed.');
    }
    return { live, keepsVideo: status === 'VOD' || (await this.#isRecorded(live)) };
  }

  async #ended(liveVideoId: string, asked: 'live_video' | 'video'): Promise<LiveVideo> {
    const found = await this.#states.load(liveVideoId);
    if (isOver(found.data)) return found;
    // The guard sees the state that is changed: the broadcast may have gone LIVE since the request was checked.
    const guard = async ({ data }: LiveVideo): Promise<void> => {
      if (asked === 'video' && data.status === 'LIVE') throw subcodeError('LIVE_VIDEO__EDIT_API_NOT_ALLOWED');
    };
    try {
      return await this.#move(
        liveVideoId,
        { type: 'stop', wallMs: this.#deps.clock.wallMs(), reason: DELETED },
        [],
        guard,
      );
    } catch (error) {
      const now = await this.#states.load(liveVideoId);
      if (isOver(now.data)) return now;
      throw error;
    }
  }

  /**
   * A broadcast that was LIVE, with a recording that its Video has yet to get. The listed segments tell it also where recordings
   * were turned off since; the setting tells it where a segment could not be listed.
   */
  async #isRecorded({ id, data }: LiveVideo): Promise<boolean> {
    if (data.broadcastStartMs === undefined) return false;
    return this.#deps.settings.record || (await this.#deps.store.objects.edgeSize(edgeOf(id, 'segments'))) > 0;
  }

  async remove({ live, keepsVideo }: Deletable, also: readonly Write[] = []): Promise<void> {
    const { id, data } = live;
    const { ownerId, videoId } = data;
    try {
      await this.#deps.store.objects.commit([
        { op: 'delete', id },
        { op: 'edgeRemove', ...edgeOf(ownerId, 'live_videos'), member: id },
        ...(keepsVideo
          ? []
          : ([
              { op: 'delete', id: videoId },
              { op: 'edgeRemove', ...edgeOf(ownerId, 'videos'), member: videoId },
              { op: 'edgeRemove', ...ownedVideos(ownerId), member: videoId },
            ] as const)),
        { op: 'edgeRemove', ...SYSTEM_EDGES.deadlines, member: id },
        { op: 'edgeRemove', ...SYSTEM_EDGES.connected, member: id },
        { op: 'edgeRemove', ...SYSTEM_EDGES.closing, member: id },
        { op: 'delete', id: DERIVED_ID.refusals(id) },
        ...also,
      ]);
    } catch (error) {
      throw subcodeError('LIVE_VIDEO__DELETE_FAILED', undefined, undefined, { cause: error });
    }
    this.#announce({ ...live, data: { ...data, stream: 'ended' } });
  }

  /** Time of the last packet of a connected, silent encoder: the silence before the end is no part of the broadcast. */
  async #lastPacket(liveVideoId: string): Promise<{ readonly lastMs?: number }> {
    const health = await this.health(liveVideoId);
    const isSilent = health?.connected === true && (health.silentMs ?? 0) >= BROADCAST_LIMITS.takeOverSilenceMs;
    return isSilent ? { lastMs: health.atMs - (health.silentMs ?? 0) } : {};
  }

  async health(liveVideoId: string): Promise<StreamHealth | undefined> {
    return this.#streams.get(liveVideoId)?.health() ?? this.#shared(liveVideoId);
  }

  async inputHealth(liveVideoId: string, inputStreamId: string): Promise<StreamHealth | undefined> {
    return this.#streams.getInput(liveVideoId, inputStreamId)?.health() ?? this.#shared(inputStreamId);
  }

  /** The health that another process, which receives the stream, has shared. */
  async #shared(id: string): Promise<StreamHealth | undefined> {
    const last = (await this.#deps.store.volatile.get(VOLATILE.health(id))) as StreamHealth | undefined;
    const isCurrent = last !== undefined && this.#deps.clock.wallMs() - last.atMs < BROADCAST_LIMITS.healthCurrentMs;
    return isCurrent ? last : undefined;
  }

  urls(live: StoredObject<LiveVideoData>, input: InputNumber = '0'): StreamUrls {
    return this.#urlsFor(this.#deps.keys.derive(live.id, live.data.keyVersion, input));
  }

  async persistentUrls(ownerId: string, input: InputNumber = '0'): Promise<StreamUrls | undefined> {
    const owner = await this.#owner(ownerId);
    const version = owner.data.persistentKeyVersion;
    return version === undefined ? undefined : this.#urlsFor(this.#deps.keys.derive(ownerId, version, input));
  }

  #urlsFor(key: string): StreamUrls {
    const base = `${this.#deps.settings.publicStreamUrl.replace(/\/+$/, '')}/`;
    return { base, key, secureStreamUrl: base + key };
  }

  async #owner(id: string): Promise<StoredObject<OwnerData>> {
    const owner = await this.#deps.store.objects.get<OwnerData>(id);
    if (owner === undefined || !isOwnerKind(owner.kind)) {
      throw parameterError(`The owner ${id} does not exist`, 33);
    }
    return owner;
  }

  /** A move after which the broadcast goes LIVE without another request. */
  #toGoLive(
    liveVideoId: string,
    input: Extract<LifecycleInput, { type: 'schedule' | 'scheduled-live' }>,
    also: readonly Write[],
  ): Promise<LiveVideo> {
    return this.#move(liveVideoId, input, also, async ({ data }) => {
      const next = advance(data, input)?.state;
      const refusal = next && earlyRefusal((await this.#owner(data.ownerId)).data, next, input.wallMs);
      if (refusal !== undefined) throw refusal;
    });
  }

  async #noOpenErrorsUnderStrict(liveVideoId: string): Promise<void> {
    if (this.#deps.settings.enforce !== 'strict') return;
    const { records } = await this.#deps.store.records.page(liveVideoId, { limit: 1, open: true, severity: 'error' });
    const first = records[0];
    if (first !== undefined) throw subcodeError('LIVE_VIDEO__LIVE_STREAM_ERROR', first.description);
  }

  async #move(
    liveVideoId: string,
    input: LifecycleInput,
    also: readonly Write[] = [],
    guard?: (live: LiveVideo) => Promise<void>,
  ): Promise<LiveVideo> {
    const moved: Moved = await this.#states.move(liveVideoId, input, { guard, also });
    await this.#streams.applyEffects(moved);
    return moved.live;
  }

  /** `fields`: the settings that the encoder asks for next, among others. */
  async #retune(
    liveVideoId: string,
    fields: Readonly<Record<string, unknown>>,
    wallMs: number,
    also: readonly Write[],
  ): Promise<LiveVideo> {
    const graceMs = this.#deps.settings.reconnectGraceMs;
    const change = (data: LiveVideoData): LiveVideoData => {
      const reason = whyNotRetuned(data, { wallMs, graceMs });
      if (reason !== undefined) throw parameterError(reason);
      return defined({ ...data, ...fields, retune: retuneOf(data, wallMs) });
    };
    const live = await this.#states.edit(liveVideoId, change, also);
    this.#streams.retune(live);
    return live;
  }

  async #edit(
    liveVideoId: string,
    fields: Readonly<Record<string, unknown>>,
    also: readonly Write[],
  ): Promise<LiveVideo> {
    const live = await this.#states.edit(liveVideoId, (data) => ({ ...data, ...fields }), also);
    if (fields.isBackupReturn !== undefined) this.#streams.backupReturn(live);
    return live;
  }

  /** The switch follows with the next key frame of that encoder. */
  async #putOnAir(liveVideoId: string, inputStreamId: string, also: readonly Write[]): Promise<LiveVideo> {
    const live = await this.#states.load(liveVideoId);
    const health = await this.inputHealth(liveVideoId, inputStreamId);
    if (health === undefined || !health.connected) throw parameterError('No encoder publishes to this input stream');
    await this.#deps.store.objects.commit([...also]);
    // The health that was shared may be older than the last switch; to the one on air it changes nothing.
    this.#streams.putOnAir(liveVideoId, inputStreamId);
    return live;
  }

  async #crosspost(liveVideoId: string, pageIds: readonly string[], also: readonly Write[]): Promise<LiveVideo> {
    const { store, ids, clock } = this.#deps;
    const before = await this.#states.load(liveVideoId);
    const copies = await store.objects.getMany(before.data.crosspostCopies ?? []);
    const served = copies.map((copy) => (copy?.data as LiveVideoData | undefined)?.ownerId);
    const pages = await Promise.all(pageIds.filter((id) => !served.includes(id)).map((id) => this.#owner(id)));
    if (pages.length === 0 || !takesCopies(before.data)) return before;
    const made = pages.map((page) => ({ page, ids: { liveVideo: ids.next(), video: ids.next() } }));
    const change = (data: LiveVideoData): LiveVideoData => {
      if (!takesCopies(data)) throw parameterError(`The live video is ${data.status}: cross-post its recording`);
      return {
        ...data,
        crosspostCopies: [...(data.crosspostCopies ?? []), ...made.map(({ ids: { liveVideo } }) => liveVideo)],
      };
    };
    const writes = (now: LiveVideo) => made.flatMap(({ page, ids }) => copyWrites(now, page, ids, clock.wallMs()));
    const live = await this.#states.edit(liveVideoId, change, (now) => [...writes(now), ...also]);
    for (const { page, ids } of made)
      this.#announce({ ...live, id: ids.liveVideo, data: { ...live.data, ownerId: page.id } });
    return live;
  }

  async #uncrosspost(liveVideoId: string, copyIds: readonly string[], also: readonly Write[]): Promise<LiveVideo> {
    const found = await this.#deps.store.objects.getMany(copyIds);
    const copies = found.flatMap((copy) => (copy === undefined ? [] : [copy as LiveVideo]));
    const change = (data: LiveVideoData): LiveVideoData => ({
      ...data,
      crosspostCopies: (data.crosspostCopies ?? []).filter((id) => !copyIds.includes(id)),
    });
    const live = await this.#states.edit(liveVideoId, change, [...copies.flatMap(copyRemoval), ...also]);
    for (const copy of copies) this.#announce({ ...copy, data: { ...copy.data, stream: 'ended' } });
    return live;
  }

  /** COPYRIGHT_VIOLATION: records the error, sends it to the encoder and ends the broadcast. */
  async #copyrightStop(
    liveVideoId: string,
    pageName: string,
    wallMs: number,
    also: readonly Write[],
  ): Promise<LiveVideo> {
    const live = await this.#states.load(liveVideoId);
    if (isOver(live.data)) throw parameterError(`The live video is already ${live.data.status}`);
    return this.#move(liveVideoId, { type: 'stop', wallMs, reason: copyrightViolation(pageName) }, also);
  }

  async #persistentKey(
    liveVideoId: string,
    action: 'ENABLE' | 'DISABLE' | 'REGENERATE',
    also: readonly Write[],
  ): Promise<LiveVideo> {
    const live = await this.#states.load(liveVideoId);
    const owner = await this.#owner(live.data.ownerId);
    if (owner.kind !== 'page') throw parameterError('persistent_stream_key_status is for live videos of Pages');
    const { persistentKeyVersion: version, ...rest } = owner.data;
    const highest = typeof rest.lastKeyVersion === 'number' ? rest.lastKeyVersion : (version ?? 0);
    const next =
      action === 'DISABLE' ? undefined : action === 'ENABLE' && version !== undefined ? version : highest + 1;
    const data: OwnerData = {
      ...rest,
      lastKeyVersion: Math.max(highest, next ?? 0),
      ...(next === undefined ? {} : { persistentKeyVersion: next, persistentLiveVideoId: liveVideoId }),
    };
    const object = {
      id: owner.id,
      kind: owner.kind,
      createdMs: owner.createdMs,
      updatedMs: this.#deps.clock.wallMs(),
      data,
    };
    await this.#deps.store.objects.commit([{ op: 'put', object, expect: owner.version }, ...also]);
    return live;
  }
}

/** Publications on a real store, without sockets: what a connection would hand over comes from the test. */

import { BroadcastEngine } from '../../src/broadcasts/broadcast-engine.js';
import type { ReceivingDeps } from '../../src/broadcasts/deps.js';
import type { Publication } from '../../src/broadcasts/publication.js';
import type { Publications } from '../../src/broadcasts/publications.js';
import type { CloseReason } from '../../src/broadcasts/publisher/close-reasons.js';
import type { AdmittedInput, RecordNotice } from '../../src/broadcasts/publisher/publisher.js';
import { type LiveVideo, StateWriter } from '../../src/broadcasts/state-writer.js';
import { SliceList } from '../../src/bytes/slices.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import type { InputIndex } from '../../src/lifecycle/on-air.js';
import { newMediaMessage } from '../../src/media/media-message.js';
import { type JournalEntry, LEASE, type Lease, type Store, type TapSource } from '../../src/ports/index.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { randomBytes, TimeOrderedIds } from '../../src/server/system/system.js';
import { openStore } from '../../src/store/open.js';
import { payloadBuffers } from './payload-buffers.js';
import { handClock, memoryLog, temporaryFolder } from './store-harness.js';
import { type SynthOptions, synthStream } from './synth-stream.js';

export interface Stay {
  readonly publication: Publication;
  readonly lease: Lease;
  readonly said: RecordNotice[];
  readonly closings: CloseReason[];
  /** Sends a stream in its own time. */
  send(stream: Partial<SynthOptions>): void;
  /** Sends a message without content: the encoder is not silent. */
  beat(): void;
}

export class IngestHarness {
  readonly clock = handClock();
  readonly entries: JournalEntry[] = [];
  readonly store: Store;
  readonly deps: ReceivingDeps;
  readonly states: StateWriter;
  readonly engine: BroadcastEngine;
  readonly publications: Publications;
  /** Opened for each publication that is on air. */
  readonly taps: TapSource[] = [];
  readonly #log = memoryLog();
  readonly #folder: { remove(): void };

  static async open(redisUrl?: string): Promise<IngestHarness> {
    const folder = temporaryFolder();
    const clock = handClock();
    const store = await openStore({ dataDir: folder.path, redisUrl, log: memoryLog(), clock });
    return new IngestHarness(store, clock, folder);
  }

  /** What happens while a part of the server waits. False: the process ends. */
  pause: () => Promise<boolean> = async () => false;

  private constructor(store: Store, clock: ReturnType<typeof handClock>, folder: { remove(): void }) {
    this.clock = clock;
    this.store = store;
    this.#folder = folder;
    this.deps = {
      store,
      clock,
      ids: new TimeOrderedIds(clock, randomBytes),
      log: this.#log,
      keys: {
        derive: (id) => `${id}-`,
        parse: (id) => ({ id, secret: '', params: new Map() }),
        matches: () => true,
      },
      errors: {
        stored: () => undefined,
        append: (entries) => {
          this.entries.push(...entries);
          return Promise.resolve([]);
        },
      },
      refusals: { add: () => undefined },
      settings: {
        publicStreamUrl: 'rtmps://localhost/rtmp/',
        deploymentIds: [],
        backupAfterMs: 1_500,
        reconnectGraceMs: 60_000,
        enforce: 'report',
        analysis: true,
        record: false,
      },
      quota: new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 }),
      recordings: { ended: () => undefined },
      taps: this.taps,
      buffers: payloadBuffers(),
      holder: 'this process',
      pause: () => this.pause(),
    };
    this.states = new StateWriter(store, clock);
    this.engine = new BroadcastEngine(this.deps);
    this.publications = this.engine.publications;
  }

  /** A broadcast that goes LIVE with the first valid data, and its key taken. */
  async admit(over: Partial<LiveVideoData> = {}): Promise<{ readonly live: LiveVideo; readonly lease: Lease }> {
    const id = this.deps.ids.next();
    const data: LiveVideoData = {
      ownerId: '1',
      ownerKind: 'page',
      videoId: '2',
      status: 'UNPUBLISHED',
      goLiveOnData: true,
      keyVersion: 1,
      stopOnDeleteStream: false,
      stream: 'waiting',
      ...over,
    };
    const at = { createdMs: this.clock.wallMs(), updatedMs: this.clock.wallMs() };
    await this.store.objects.commit([{ op: 'put', object: { id, kind: 'live_video', ...at, data } }]);
    return this.#take(id);
  }

  async #take(id: string): Promise<{ readonly live: LiveVideo; readonly lease: Lease }> {
    const live = await this.states.load(id);
    const lease = await this.store.leases.acquire(LEASE.publish(id), this.deps.holder, 10_000);
    if (lease === undefined) throw new Error('the stream key is already leased');
    return { live, lease };
  }

  /** An encoder that publishes to such a broadcast, after it was held for a time. */
  async publish(over: Partial<LiveVideoData> = {}, heldMs = 0): Promise<Stay> {
    return this.#start(await this.admit(over), heldMs);
  }

  /** A broadcast with two input streams that goes LIVE with the first valid data, and to which nothing publishes yet. */
  async pair(over: Partial<LiveVideoData> = {}): Promise<LiveVideo> {
    const inputStreamIds = [this.deps.ids.next(), this.deps.ids.next()];
    const { live, lease } = await this.admit({ ...over, inputStreamIds });
    await this.store.leases.release(lease);
    return live;
  }

  /** Another process on the same store. */
  otherProcess(holder: string): BroadcastEngine {
    return new BroadcastEngine({ ...this.deps, holder });
  }

  /** An encoder that publishes to one of its input streams. */
  async publishInput({ id }: LiveVideo, index: InputIndex, to = this.engine): Promise<Stay> {
    const live = await this.states.load(id);
    const inputId = live.data.inputStreamIds?.[index] ?? '';
    const lease = await this.store.leases.acquire(LEASE.publish(inputId), `receives ${inputId}`, 10_000);
    if (lease === undefined) throw new Error('the key of the input stream is already leased');
    return this.#start({ live, lease }, 0, { id: inputId, index }, to.publications);
  }

  /** The same encoder publishes again. */
  async resume(stay: Stay): Promise<Stay> {
    return this.#start(await this.#take(stay.publication.liveVideoId), 0);
  }

  async #start(
    { live, lease }: { readonly live: LiveVideo; readonly lease: Lease },
    heldMs: number,
    input?: AdmittedInput,
    publications = this.publications,
  ): Promise<Stay> {
    const said: RecordNotice[] = [];
    const closings: CloseReason[] = [];
    const channel = {
      notify: (notice: RecordNotice) => said.push(notice),
      closeWith: (reason: CloseReason) => closings.push(reason),
    };
    const facts = { secure: true, clientName: '', tookOver: false, hasStorage: true, heldMs, input };
    const publication = await publications.start(live, lease, channel, facts, this.#log);
    const send = (stream: Partial<SynthOptions>) => {
      const startMs = this.clock.monotonicMs();
      let number = 0;
      for (const { kind, timestampMs, payload } of synthStream(stream)) {
        this.clock.advance(startMs + timestampMs - this.clock.monotonicMs());
        const list = SliceList.of(payload);
        if (kind === 'video')
          publication.video({
            payload: list,
            timestampMs,
            messageNumber: ++number,
            byteOffset: 0,
            atMs: this.clock.monotonicMs(),
          });
        if (kind === 'audio')
          publication.audio({
            payload: list,
            timestampMs,
            messageNumber: ++number,
            byteOffset: 0,
            atMs: this.clock.monotonicMs(),
          });
      }
    };
    const beat = () => {
      const message = newMediaMessage();
      message.atMs = this.clock.monotonicMs();
      publication.metadata(undefined, message);
    };
    return { publication, lease, said, closings, send, beat };
  }

  async data(stay: Stay): Promise<LiveVideoData> {
    return (await this.states.load(stay.publication.liveVideoId)).data;
  }

  /** `raised 6304` … in their order. */
  changes(): string[] {
    return this.entries.map(({ change }) => `${change.change} ${change.body.error_code}`);
  }

  /** The one clock of the server. */
  tick(): void {
    this.publications.tick(this.clock.wallMs(), this.clock.monotonicMs());
  }

  async close(): Promise<void> {
    await this.publications.close();
    await this.store.close();
    this.#folder.remove();
  }
}

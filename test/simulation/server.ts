/** One process of a server: the publish gate, the engine, the journal and the webhook of the product, composed as its roles do. */
import { BroadcastEngine } from '../../src/broadcasts/broadcast-engine.js';
import type { ErrorSink, JournalEntry, Log, Store } from '../../src/ports/index.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { TimeOrderedIds } from '../../src/server/system/system.js';
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import type { JournalFiles } from '../../src/store/journal/segment.js';
import { closeInstance, parseSegmentFileName } from '../../src/store/journal/segment-name.js';
import { type postEvent, Webhook } from '../../src/webhook/webhook.js';
import { payloadBuffers } from '../support/payload-buffers.js';
import { Disk } from './files.js';
import { StoreLink, type StoreServer } from './store-link.js';
import type { StoreFault } from './store-state.js';
import { Actor, type World } from './world.js';

export const GRACE_MS = 10_000;
const FLUSH_MS = 2_000;
const START_AGAIN_MS = 500;

/** Replaces a part of the product by a faulty one, to see whether the simulation finds it. */
export interface Mutation {
  readonly store?: (store: Store) => Store;
  readonly errors?: (journal: ErrorSink) => ErrorSink;
  readonly files?: (files: JournalFiles) => JournalFiles;
  /** In the store itself. */
  readonly fault?: StoreFault;
  readonly post?: (post: typeof postEvent) => typeof postEvent;
}

/** What the world knows of its servers. */
export interface Outside {
  readonly mutation: Mutation;
  /** Records changed here. */
  judged(entries: readonly JournalEntry[], by: string): void;
  /** The journal has these. */
  durable(entries: readonly JournalEntry[]): void;
  readonly post: typeof postEvent;
}

/** A process that runs, from its start to its death. */
export interface Running {
  readonly actor: Actor;
  readonly engine: BroadcastEngine;
  readonly journal: ErrorJournal;
  readonly webhook: Webhook;
  readonly link: StoreLink;
}

export class Machine {
  readonly disk: Disk;
  readonly name: string;
  readonly #world: World;
  readonly #store: StoreServer;
  readonly #outside: Outside;
  readonly #skewMs: number;
  #lives = 0;
  /** The process, from the moment in which it was started. */
  #actor: Actor | undefined;
  #link: StoreLink | undefined;
  /** Serves. */
  running: Running | undefined;
  #isWanted = true;
  #stopping: (() => void) | undefined;

  constructor(world: World, name: string, store: StoreServer, outside: Outside) {
    this.#world = world;
    this.name = name;
    this.#store = store;
    this.#outside = outside;
    this.disk = new Disk(world);
    this.#skewMs = world.chance(0.5) ? 0 : world.whole(-3_000, 3_000);
  }

  get actor(): Actor | undefined {
    return this.#actor;
  }

  // ---------------------------------------------------------------- start

  start(): void {
    this.#isWanted = true;
    if (this.#actor?.isAlive === true) return;
    this.#lives += 1;
    const actor = new Actor(`${this.name}.${this.#lives}`, this.#skewMs);
    this.#actor = actor;
    this.#world.say(`${actor.name} starts`);
    this.#world.after(
      1,
      () => {
        this.#open(actor).then(
          (running) => {
            if (actor.isAlive) this.running = running;
            this.#world.say(`${actor.name} serves`);
          },
          (error: unknown) => {
            this.#world.say(`${actor.name} cannot start: ${error instanceof Error ? error.message : 'unknown'}`);
            this.#end(actor);
            this.#world.after(START_AGAIN_MS, () => this.#isWanted && this.start());
          },
        );
      },
      actor,
    );
  }

  async #open(actor: Actor): Promise<Running> {
    const world = this.#world;
    const { mutation, judged, durable, post } = this.#outside;
    const clock = world.clockOf(actor);
    const link = new StoreLink(this.#store, actor);
    this.#link = link;
    const store = mutation.store?.(link) ?? link;
    const log = logOf(world, actor);
    const files = this.disk.of(actor);
    const journal = await ErrorJournal.open({
      dataDir: this.name,
      store,
      log,
      clock,
      files: mutation.files?.(files) ?? files,
    });
    const sink = mutation.errors?.(journal) ?? journal;
    let isShutDown = false;
    const engine = new BroadcastEngine({
      store,
      clock,
      ids: new TimeOrderedIds(clock, (size) => Uint8Array.from({ length: size }, () => world.whole(0, 255))),
      log,
      refusals: { add: () => undefined },
      keys: {
        derive: (id) => `${id}-`,
        parse: (id) => ({ id, secret: '', params: new Map() }),
        matches: () => true,
      },
      errors: {
        append: async (entries) => {
          judged(entries, actor.name);
          const written = await sink.append(entries);
          durable(written);
          return written;
        },
      },
      settings: {
        publicStreamUrl: 'rtmps://localhost/live/',
        deploymentIds: [],
        reconnectGraceMs: GRACE_MS,
        backupAfterMs: 1_500,
        enforce: 'report',
        analysis: false,
        record: false,
      },
      quota: new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 }),
      recordings: { ended: () => undefined },
      taps: [],
      buffers: payloadBuffers(),
      holder: actor.name,
      pause: async (ms) => {
        if (isShutDown) return false;
        await Promise.race([world.pause(ms), shutDown]);
        return !isShutDown;
      },
    });
    const shutDown = new Promise<void>((resolve) => {
      this.#stopping = () => {
        isShutDown = true;
        resolve();
      };
    });
    await engine.run();
    const webhook = new Webhook({
      store,
      clock,
      log,
      url: 'http://receiver/',
      secret: 'secret',
      holder: actor.name,
      post,
    });
    return { actor, engine, journal, webhook, link };
  }

  // ---------------------------------------------------------------- the end

  /** SIGKILL. */
  kill(): void {
    const actor = this.#actor;
    if (actor?.isAlive !== true) return;
    this.#world.say(`${actor.name} is killed`);
    this.#isWanted = false;
    this.#end(actor);
  }

  #end(actor: Actor): void {
    actor.isAlive = false;
    this.running = undefined;
    void this.#link?.close();
    // What the system knows of a process that is dead, the journal asks it.
    for (const path of this.disk.names()) {
      const name = parseSegmentFileName(path.slice(path.lastIndexOf('/') + 1));
      if (name !== undefined) closeInstance(name.instance);
    }
  }

  /** SIGTERM: publishers are let go, the journal is closed. */
  stop(): void {
    const { running } = this;
    if (running === undefined) return;
    this.#isWanted = false;
    this.running = undefined;
    const { actor, engine, journal, webhook, link } = running;
    this.#world.say(`${actor.name} is stopped`);
    this.#world.after(
      0,
      () => {
        this.#stopping?.();
        const close = async () => {
          await webhook.close();
          await engine.close();
          await journal.flush(FLUSH_MS);
          await journal.close();
          await link.close();
        };
        void close().finally(() => {
          this.#world.say(`${actor.name} has stopped`);
          this.#end(actor);
        });
      },
      actor,
    );
  }

  get isDown(): boolean {
    return this.#actor?.isAlive !== true;
  }
}

/** Only what a person would look for in a trace. */
function logOf(world: World, actor: Actor): Log {
  const say = (fields: object, message: string) => {
    const { error } = fields as { readonly error?: unknown };
    world.say(`${actor.name} logs: ${message}${error instanceof Error ? ` (${error.message})` : ''}`);
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: say, error: say, child: () => log };
  return log;
}

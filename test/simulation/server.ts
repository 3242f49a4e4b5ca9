/** One process of a server: the publish gate, the engine, the journal and the webhook of the product, composed as its roles do. */
import { BroadcastEngine } from '../../src/broadcasts/broadcast-engine.js';
import { StateWriter } from '../../src/broadcasts/state-writer.js';
import type { Blobs, ErrorSink, JournalEntry, Log, Store } from '../../src/ports/index.js';
import { Recorder } from '../../src/recording/recorder.js';
import { Segments } from '../../src/recording/segments.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { RecordingJobs } from '../../src/server/services/storage.js';
import { TimeOrderedIds } from '../../src/server/system/system.js';
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import type { JournalFiles } from '../../src/store/journal/segment.js';
import { closeInstance } from '../../src/store/journal/segment-name.js';
import type { Job, JobWorkers } from '../../src/vod/jobs/job.js';
import { JobQueue } from '../../src/vod/jobs/job-queue.js';
import { type postEvent, Webhook } from '../../src/webhook/webhook.js';
import { payloadBuffers } from '../support/payload-buffers.js';
import type { Disk } from './files.js';
import { type Recordings, recordingDisk } from './recordings.js';
import { StoreLink, type StoreServer } from './store-link.js';
import type { StoreFault } from './store-state.js';
import { Actor, type World } from './world.js';

export const GRACE_MS = 10_000;
const FLUSH_MS = 2_000;
const START_AGAIN_MS = 500;
/** Recordings stay on the disk. */
const NO_BLOBS = { kind: 'folder' } as Blobs;

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
  /** The journal has these, which it was given at `fromMs`; where the disk refused them since, the store has them. */
  durable(entries: readonly JournalEntry[], fromMs: number): void;
  readonly post: typeof postEvent;
  /** Absent: broadcasts are not recorded. */
  readonly recordings?: Recordings | undefined;
  /** Recordings are written past the page cache. */
  readonly isDirect: boolean;
  /** All is well: jobs fail no more. */
  isHealed(): boolean;
}

/** A process that runs, from its start to its death. */
export interface Running {
  readonly actor: Actor;
  readonly engine: BroadcastEngine;
  readonly journal: ErrorJournal;
  readonly webhook: Webhook;
  readonly jobs: JobQueue;
  readonly recorder: Recorder;
  readonly disk: Disk;
  readonly link: StoreLink;
  /** The RTMP server has closed its connections, also those whose publish is being admitted. */
  isStopping: boolean;
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

  /** `disk`: that of its machine, which other processes may share. */
  constructor(world: World, name: string, disk: Disk, store: StoreServer, outside: Outside) {
    this.#world = world;
    this.name = name;
    this.#store = store;
    this.#outside = outside;
    this.disk = disk;
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
    const { mutation, judged, durable, post, recordings, isDirect } = this.#outside;
    const clock = world.clockOf(actor);
    const link = new StoreLink(this.#store, actor);
    this.#link = link;
    const store = mutation.store?.(link) ?? link;
    const log = logOf(world, actor);
    const files = this.disk.of(actor);
    const journal = await ErrorJournal.open({
      dataDir: 'data',
      store,
      log,
      clock,
      files: mutation.files?.(files) ?? files,
    });
    const sink = mutation.errors?.(journal) ?? journal;
    const segments = new Segments({ folder: 'recordings', blobs: NO_BLOBS, store, clock, log });
    const disk = recordingDisk(this.disk, actor, isDirect);
    const recorder = new Recorder({ folder: 'recordings', clock, log, segments, disk });
    const jobs = new JobQueue({ store, clock, log, holder: actor.name });
    let isShutDown = false;
    const engine = new BroadcastEngine({
      store,
      clock,
      ids: new TimeOrderedIds(clock, (size) => Uint8Array.from({ length: size }, () => world.whole(0, 255))),
      log,
      refusals: { add: () => undefined },
      keys: {
        derive: (id, _version, input = '0') => `${id}/${input}`,
        parse: (name) => {
          const [id = '', input = '0'] = name.split('/');
          return { id, secret: input, params: new Map() };
        },
        matches: (_id, _version, secret, input = '0') => secret === input,
      },
      errors: {
        stored: (broadcastId, timeoutMs) => sink.stored(broadcastId, timeoutMs),
        append: async (entries) => {
          judged(entries, actor.name);
          const fromMs = world.nowMs;
          const written = await sink.append(entries);
          durable(written, fromMs);
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
        record: recordings !== undefined,
      },
      quota: new StoreOwnerQuota(store, clock, { publishers: 0, objects: 0, bytes: 0 }),
      recordings: new RecordingJobs(jobs, recordings !== undefined, log),
      taps: recordings === undefined ? [] : [recordings.watched(recorder, actor, this.disk)],
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
    if (recordings !== undefined) jobs.start(this.#workers(actor, new StateWriter(store, clock)));
    const webhook = new Webhook({
      store,
      clock,
      log,
      url: 'http://receiver/',
      secret: 'secret',
      holder: actor.name,
      post,
    });
    return { actor, engine, journal, webhook, jobs, recorder, disk: this.disk, link, isStopping: false };
  }

  /** Makes videos of recordings, which takes a while and may fail. */
  #workers(actor: Actor, states: StateWriter): JobWorkers {
    const world = this.#world;
    const recording = {
      run: async ({ data: { subjectId } }: Job, signal: AbortSignal) => {
        world.say(`${actor.name} begins the video of ${subjectId}`);
        await states.processing(subjectId, 'processing-started');
        await world.pause(world.between(100, 4_000));
        signal.throwIfAborted();
        if (!this.#outside.isHealed() && world.chance(0.2)) throw new Error('the video cannot be made now');
        await states.processing(subjectId, 'processing-done');
        world.say(`${actor.name} has made the video of ${subjectId}`);
      },
      giveUp: async () => world.say(`${actor.name} gives up a video`),
    };
    return { recording, upload: recording, publish: recording, fingerprint: recording };
  }

  // ---------------------------------------------------------------- the end

  /** SIGKILL, or the end of its machine. */
  kill(lostPower = false): void {
    const actor = this.#actor;
    if (actor?.isAlive !== true) return;
    this.#world.say(`${actor.name} ${lostPower ? 'loses power' : 'is killed'}`);
    this.#isWanted = false;
    const { nowMs } = this.#world;
    actor.diedMs = actor.stillUntilMs > nowMs ? actor.stillSinceMs : nowMs;
    this.#end(actor);
  }

  #end(actor: Actor): void {
    actor.isAlive = false;
    this.running = undefined;
    void this.#link?.close();
    // What the system knows of a process that is dead, the journal asks it.
    for (const instance of actor.journals) closeInstance(instance);
  }

  /** SIGTERM: publishers are let go, the journal is closed. */
  stop(): void {
    const { running } = this;
    if (running === undefined) return;
    this.#isWanted = false;
    this.running = undefined;
    const { actor, engine, journal, webhook, jobs, recorder, link } = running;
    this.#world.say(`${actor.name} is stopped`);
    this.#world.after(
      0,
      () => {
        running.isStopping = true;
        this.#stopping?.();
        const close = async () => {
          await webhook.close();
          await engine.close();
          await recorder.close();
          await jobs.close();
          await journal.flush(FLUSH_MS);
          await journal.close();
          await link.close();
        };
        void close().finally(() => {
          this.#world.say(`${actor.name} has stopped`);
          this.#end(actor);
          // It was to start again before it had stopped.
          if (this.#isWanted) this.start();
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

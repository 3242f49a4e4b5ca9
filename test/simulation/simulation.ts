/** One run: a world with servers, a store, encoders and an owner, faults until it heals, and what must hold afterwards. */
import type { RecordNotice } from '../../src/broadcasts/publisher/publisher.js';
import type { InputNumber, LiveVideoData } from '../../src/lifecycle/documents.js';
import { isOver } from '../../src/lifecycle/lifecycle.js';
import type { StoredObject } from '../../src/ports/index.js';
import { ServiceError } from '../../src/spec/service-errors.js';
import type { WebhookEvent } from '../../src/webhook/outbox.js';
import { messagesOf, readFixture } from '../support/fixtures.js';
import { Encoder, type Stream } from './encoder.js';
import { Disk } from './files.js';
import { brokenAtEnd, Explained, openTwice, type Seen } from './invariants.js';
import { type Fault, HEALED_MS, type Plan, planOf } from './plan.js';
import { Recordings } from './recordings.js';
import { Machine, type Mutation, type Running } from './server.js';
import { StoreServer } from './store-link.js';
import { World } from './world.js';

/** Encoders that were told nothing else publish by then. */
const LIVE_AGAIN_MS = HEALED_MS + 22_000;
const END_MS = LIVE_AGAIN_MS + 1_000;
/** Grace time, sweeps and deliveries. */
const SETTLED_MS = END_MS + 42_000;
const OWNER = '1000';
/** Each breaks another rule; a change from one to another changes the first settings. */
const STREAMS = ['key-frames-6-s', 'bitrate-too-low', 'audio-320-kbps', 'baseline-b-frames'] as const;
const STREAM_MS = 70_000;

/** What is checked in each run. */
export const INVARIANTS = [
  'readable',
  'in order',
  'one holder',
  'lifecycle',
  'nothing open',
  'LIVE again',
  'webhooks',
  'recorded',
  'video made',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

export interface Run {
  readonly seed: number;
  readonly plan: Plan;
  /** What broke; empty: all held. */
  readonly broken: readonly string[];
  readonly trace: readonly string[];
  readonly events: number;
  /** How often each was checked. */
  readonly checked: Readonly<Record<Invariant, number>>;
}

export interface RunOptions {
  readonly isTraced?: boolean;
  readonly mutation?: Mutation;
  /** Absent: that of the seed. */
  readonly plan?: Plan;
}

let streams: Promise<readonly Stream[]> | undefined;

/** The packets of the fixtures, shared by all runs. */
function fixtureStreams(): Promise<readonly Stream[]> {
  streams ??= Promise.all(
    STREAMS.map(async (name) => {
      const { recipe, ...fixture } = readFixture(name);
      const options = { ...recipe.options, metadata: false as const, durationMs: STREAM_MS };
      const messages = [...(await messagesOf({ ...fixture, recipe: { ...recipe, options } }))];
      return { name, messages };
    }),
  );
  return streams;
}

export async function simulate(seed: number, { isTraced = false, mutation = {}, plan }: RunOptions = {}): Promise<Run> {
  const available = await fixtureStreams();
  const world = new World(seed, isTraced);
  const simulation = new Simulation(world, plan ?? planOf(seed), available, mutation);
  const broken = await world.inside(() => simulation.run());
  for (const each of broken) world.say(`BROKEN: ${each}`);
  const { plan: used, checked } = simulation;
  return { seed, plan: used, broken, trace: world.trace, events: world.events, checked };
}

/** Leaves out faults for as long as the run still fails. */
export async function smallest(run: Run, mutation: Mutation = {}): Promise<Run> {
  let least = run;
  for (let at = least.plan.faults.length - 1; at >= 0; at -= 1) {
    const plan = { ...least.plan, faults: least.plan.faults.filter((_fault, index) => index !== at) };
    const tried = await simulate(run.seed, { plan, mutation });
    if (tried.broken.length > 0) least = tried;
  }
  return simulate(run.seed, { plan: least.plan, mutation, isTraced: true });
}

class Simulation {
  readonly plan: Plan;
  readonly #world: World;
  readonly #streams: readonly Stream[];
  readonly #store: StoreServer;
  readonly #machines: readonly Machine[];
  readonly #encoders: Encoder[] = [];
  readonly #liveVideoIds: string[] = [];
  readonly #deleted = new Set<string>();
  readonly #explained = new Explained();
  readonly #seen: Seen = { pushed: [], durable: [], delivered: [] };
  readonly #recordings: Recordings | undefined;
  #receiverIsAway = false;
  #liveAgain = 0;
  #failedOverMs = 0;
  /** The store is well in the whole run, and every process at its pace. */
  readonly #canAsk: boolean;

  constructor(world: World, plan: Plan, available: readonly Stream[], mutation: Mutation) {
    this.#world = world;
    this.plan = plan;
    this.#canAsk = !plan.faults.some(({ kind }) => kind.startsWith('store-') || kind === 'slow-process');
    this.#streams = available;
    this.#store = new StoreServer(world, plan.store, mutation.fault);
    this.#store.wasPut = (before, after, by) => this.#explained.look(before, after, by, world);
    const post = async (_target: unknown, event: WebhookEvent): Promise<string | undefined> => {
      await world.pause(world.between(2, 60));
      if (this.#receiverIsAway) return 'no answer';
      this.#seen.delivered.push({ event, atMs: world.nowMs });
      return undefined;
    };
    this.#recordings = plan.isRecorded ? new Recordings(world) : undefined;
    const disks = Array.from({ length: plan.servers }, () => new Disk(world));
    const diskOf = (index: number) => disks[Math.floor(index / plan.perMachine)] ?? new Disk(world);
    this.#machines = Array.from(
      { length: plan.servers },
      (_, index) =>
        new Machine(world, `s${index + 1}`, diskOf(index), this.#store, {
          mutation,
          judged: (entries, by) => {
            if (this.#canAsk) this.#explained.judged(entries, by, world.nowMs);
          },
          durable: (entries, fromMs) => {
            const disk = diskOf(index);
            const noted = { disk, atMs: world.nowMs, isRefused: disk.refusedMs >= fromMs };
            this.#seen.durable.push(...entries.map((entry) => ({ entry, ...noted })));
          },
          recordings: this.#recordings,
          isDirect: plan.isDirect,
          isHealed: () => world.nowMs >= HEALED_MS,
          post: mutation.post?.(post) ?? post,
        }),
    );
  }

  async run(): Promise<readonly string[]> {
    const world = this.#world;
    const { kind, nowMs } = { kind: 'page', nowMs: world.wallMs } as const;
    const object = { id: OWNER, kind, createdMs: nowMs, updatedMs: nowMs, data: { name: 'Page' } };
    this.#store.state.commit([{ op: 'put', object }]);
    for (const machine of this.#machines) world.after(world.between(0, 300), () => machine.start());
    world.after(600, () => this.#createAll());
    for (const fault of this.plan.faults) world.at(fault.atMs, () => this.#begin(fault));
    world.at(HEALED_MS, () => this.#heal());
    const broken: string[] = [];
    world.at(LIVE_AGAIN_MS, () => broken.push(...this.#notLive()));
    world.at(END_MS, () => this.#endAll());
    await world.run(SETTLED_MS);
    const state = this.#store.state;
    const ids = this.#liveVideoIds;
    const hasFailedOver = this.#hasFailedOver;
    return [
      ...this.#explained.broken,
      ...broken,
      ...brokenAtEnd({
        ...{ state, ids, deleted: this.#deleted, seen: this.#seen, hasFailedOver },
        isRecorded: this.plan.isRecorded,
      }),
      ...(this.#recordings?.broken() ?? []),
    ];
  }

  get #hasFailedOver(): boolean {
    return this.#store.kind === 'redis' && this.plan.faults.some(({ kind }) => kind === 'store-fails-over');
  }

  get checked(): Readonly<Record<Invariant, number>> {
    const { durable, pushed, delivered } = this.#seen;
    const state = this.#store.state;
    const ended = this.#liveVideoIds.filter((id) => isOver(this.#live(id)?.data ?? { status: 'UNPUBLISHED' }));
    const records = this.#liveVideoIds.reduce((sum, id) => sum + state.recordCounts(id).total, 0);
    return {
      readable: durable.length + pushed.length,
      'in order': records,
      'one holder': this.#explained.judgedCount,
      lifecycle: this.#explained.changes,
      'nothing open': ended.length,
      'LIVE again': this.#liveAgain,
      webhooks: this.#hasFailedOver ? 0 : delivered.length,
      recorded: this.#recordings?.packets ?? 0,
      'video made': this.#recordings === undefined ? 0 : ended.length,
    };
  }

  // ---------------------------------------------------------------- the owner

  #createAll(): void {
    for (let index = 0; index < this.plan.broadcasts; index += 1)
      this.#atAServer(async ({ engine }) => {
        const status = this.plan.isPreview ? 'UNPUBLISHED' : 'LIVE_NOW';
        const live = await engine.service.create({ ownerId: OWNER, status, backup: this.plan.isPair });
        this.#liveVideoIds.push(live.id);
        this.#world.say(`the owner creates ${live.id}`);
        for (const input of this.plan.isPair ? (['0', '1'] as const) : (['0'] as const)) {
          const name = `e${index + 1}${input === '1' ? 'b' : ''}`;
          const encoder = this.#encoder(name, { liveVideoId: live.id, input }, this.#world.pick(this.#streams));
          this.#world.after(this.#world.between(1, 800), () => encoder.connect());
        }
        if (this.plan.isPreview) this.#world.after(this.#world.between(3_000, 25_000), () => this.#goLive(live.id));
      });
  }

  #encoder(name: string, to: { readonly liveVideoId: string; readonly input: InputNumber }, stream: Stream): Encoder {
    const { durable } = this.#seen;
    const pushed = (id: string, notice: RecordNotice, { disk }: Running) => {
      const { isRefused = false } = durable.findLast(({ entry }) => entry.change.body.id === notice.record.id) ?? {};
      this.#seen.pushed.push({ liveVideoId: id, notice, disk, atMs: this.#world.nowMs, isRefused });
    };
    const receives = (id: string, { actor }: Running) => this.#recordings?.receives(actor, id);
    const encoder = new Encoder(this.#world, name, to, stream, this.#machines, { pushed, receives });
    this.#encoders.push(encoder);
    return encoder;
  }

  /** A request of the owner, which is sent again until a server answers it. */
  #atAServer(ask: (running: Running) => Promise<void>): void {
    const world = this.#world;
    const again = () => void world.after(world.between(300, 1_500), () => this.#atAServer(ask));
    const serving = this.#machines.filter(({ running }) => running !== undefined);
    const running = serving.length === 0 ? undefined : world.pick(serving).running;
    if (running === undefined) {
      again();
      return;
    }
    let isAnswered = false;
    world.after(
      1,
      () => {
        ask(running).then(
          () => {
            isAnswered = true;
          },
          (error: unknown) => {
            isAnswered = true;
            if (error instanceof ServiceError) world.say(`the owner is refused: ${error.message}`);
            else again();
          },
        );
      },
      running.actor,
    );
    // The process died with the request.
    world.after(12_000, () => {
      if (!isAnswered && !running.actor.isAlive) again();
    });
  }

  // ---------------------------------------------------------------- faults

  #begin(fault: Fault): void {
    const { kind, forMs, target } = fault;
    this.#world.say(`FAULT ${forMs > 0 ? `${kind} for ${forMs} ms` : kind}, target ${target}`);
    const over = this.#ofServers(fault) ?? this.#ofStore(fault) ?? this.#ofOthers(fault);
    if (over !== undefined) this.#world.after(forMs, over);
  }

  /** Returns what ends the fault; undefined: it is none of these, or needs no end. */
  #ofServers({ kind, forMs, target, degree }: Fault): (() => void) | undefined {
    const machine = this.#machines[target % this.#machines.length];
    const actor = machine?.actor;
    if (machine === undefined || actor === undefined) return undefined;
    switch (kind) {
      case 'kill':
        machine.kill();
        return () => machine.start();
      case 'power-loss':
        return this.#losePower(machine);
      case 'stop':
        machine.stop();
        return () => machine.start();
      case 'stand-still':
        actor.standStill(this.#world.nowMs, forMs);
        return undefined;
      case 'slow-process':
        actor.slowMs = 5 + 300 * degree ** 2;
        return () => {
          actor.slowMs = 0;
        };
      case 'disk-full':
        machine.disk.isFull = true;
        return () => {
          machine.disk.isFull = false;
        };
      case 'disk-slow':
        machine.disk.slowMs = 50 + 1_500 * degree ** 2;
        return () => {
          machine.disk.slowMs = 0;
        };
      case 'disk-nearly-full':
        return this.#fill(machine);
      default:
        return undefined;
    }
  }

  #onMachineOf({ disk }: Machine): Machine[] {
    return this.#machines.filter((other) => other.disk === disk);
  }

  #losePower(machine: Machine): () => void {
    const processes = this.#onMachineOf(machine);
    for (const each of processes) each.kill(true);
    machine.disk.losePower();
    // The store is on the same machine. What it has answered is on the disk.
    const store = this.#store;
    const comeBack = store.kind === 'embedded' ? store.leave('refuses') : () => undefined;
    return () => {
      comeBack();
      for (const each of processes) each.start();
    };
  }

  /** Recordings pause, and go on when there is room again. */
  #fill(machine: Machine): () => void {
    const tell = (freeBytes: number) => {
      for (const { running } of this.#onMachineOf(machine))
        running?.recorder.freeSpace.take({ freeBytes, diskBytes: 100 });
    };
    tell(1);
    return () => tell(100);
  }

  #ofStore({ kind, forMs, degree }: Fault): (() => void) | undefined {
    const store = this.#store;
    switch (kind) {
      case 'store-refuses':
        return store.leave('refuses');
      case 'store-hangs':
        return store.leave('hangs');
      case 'store-slow':
        store.slowMs = 100 + 3_000 * degree ** 2;
        return () => {
          store.slowMs = 0;
        };
      case 'store-fails-over':
        return store.kind === 'embedded' ? undefined : this.#failOver(forMs + 1_500 * degree);
      default:
        return undefined;
    }
  }

  #failOver(lostMs: number): () => void {
    const store = this.#store;
    const comeBack = store.leave('refuses');
    return () => {
      this.#failedOverMs = this.#world.nowMs;
      this.#world.say(`the replica lacks ${store.state.failOver(lostMs)} changes`);
      store.breakLinks();
      comeBack();
    };
  }

  #ofOthers({ kind, target }: Fault): (() => void) | undefined {
    const encoder = this.#encoders[target % Math.max(1, this.#encoders.length)];
    const id = this.#liveVideoIds[target % Math.max(1, this.#liveVideoIds.length)];
    if (kind === 'drop') encoder?.drop();
    if (kind === 'vanish') encoder?.vanish();
    if (kind === 'double') this.#double(encoder);
    if (kind === 'change') encoder?.change(this.#world.pick(this.#streams));
    if (kind === 'unpublish') encoder?.unpublish();
    if (kind === 'owner-deletes' && id !== undefined) this.#delete(id);
    if (kind === 'owner-ends' && id !== undefined) this.#endByOwner(id);
    if (kind === 'owner-edits' && id !== undefined)
      this.#atAServer(async ({ engine }) => {
        await engine.service.request(id, { type: 'edit', fields: { title: `title ${target}` } });
      });
    if (kind !== 'receiver-away') return undefined;
    this.#receiverIsAway = true;
    return () => {
      this.#receiverIsAway = false;
    };
  }

  #goLive(id: string): void {
    this.#atAServer(async ({ engine }) => {
      await engine.service.request(id, { type: 'go-live' });
    });
  }

  #endByOwner(id: string): void {
    this.#atAServer(async ({ engine }) => {
      await engine.service.request(id, { type: 'end' });
    });
  }

  #delete(id: string): void {
    this.#deleted.add(id);
    this.#atAServer(async ({ engine, link }) => {
      const deletable = await engine.service.endForDeletion(id, 'live_video');
      await engine.service.remove(deletable);
      await link.records.delete(id);
    });
  }

  /** A second encoder with the same key, which leaves after a while. */
  #double(encoder: Encoder | undefined): void {
    if (encoder === undefined || encoder.isDone) return;
    const second = this.#encoder(`${encoder.name}'`, encoder, encoder.stream);
    second.connect();
    this.#world.after(9_000, () => {
      second.isDone = true;
      second.drop();
    });
  }

  // ---------------------------------------------------------------- healing and the end

  #heal(): void {
    const world = this.#world;
    world.say('HEALED');
    this.#store.comeBack();
    this.#store.slowMs = 0;
    this.#receiverIsAway = false;
    for (const machine of this.#machines) {
      machine.disk.isFull = false;
      machine.disk.slowMs = 0;
      machine.running?.recorder.freeSpace.take({ freeBytes: 100, diskBytes: 100 });
      const { actor } = machine;
      if (actor !== undefined) {
        actor.slowMs = 0;
        actor.stillUntilMs = Math.min(actor.stillUntilMs, world.nowMs);
      }
      machine.start();
    }
  }

  #live(id: string): StoredObject<LiveVideoData> | undefined {
    return this.#store.state.get(id) as StoredObject<LiveVideoData> | undefined;
  }

  /** An encoder that publishes for as long as it may is LIVE again some time after all is well. */
  #notLive(): string[] {
    return this.#encoders.flatMap((encoder) => {
      if (encoder.isDone || encoder.name.endsWith("'")) return [];
      const data = this.#live(encoder.liveVideoId)?.data;
      if (data === undefined || isOver(data)) return [];
      this.#liveAgain += 1;
      const is = `${data.status}, ${data.stream}, its encoder ${encoder.isPublishing ? 'publishes' : 'is out'}`;
      // The failover lost that the owner went LIVE, and no session knows of it.
      const knew = this.#explained.wentLiveBy.get(encoder.liveVideoId) === encoder.servedBy;
      const isLost = encoder.publishesSinceMs > this.#failedOverMs || !knew;
      if (this.plan.isPreview && this.#hasFailedOver && isLost && data.status === 'UNPUBLISHED') return [];
      if (is !== 'LIVE, connected, its encoder publishes') return [`${encoder.liveVideoId} is not LIVE again: ${is}`];
      return openTwice(this.#store.state, encoder.liveVideoId);
    });
  }

  #endAll(): void {
    for (const encoder of this.#encoders) encoder.unpublish();
    for (const id of this.#liveVideoIds) {
      const data = this.#live(id)?.data;
      if (data?.status === 'LIVE' && this.#world.chance(0.5)) this.#endByOwner(id);
    }
  }
}

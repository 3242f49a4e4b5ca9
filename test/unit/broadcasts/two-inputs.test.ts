/** Two encoders of one broadcast in one process: one is on air, the other stands by, and what is recorded goes on. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BroadcastEngine } from '../../../src/broadcasts/broadcast-engine.js';
import type { LiveVideo } from '../../../src/broadcasts/state-writer.js';
import { SliceList } from '../../../src/bytes/slices.js';
import type { InputIndex } from '../../../src/lifecycle/on-air.js';
import { LEASE } from '../../../src/ports/index.js';
import { IngestHarness, type Stay } from '../../support/ingest-harness.js';
import { until } from '../../support/store-harness.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../../support/synth-stream.js';

interface Told {
  readonly kind: 'audio' | 'video' | 'data';
  readonly timestampMs: number;
}

/** What each tap got, and whether it is closed. */
interface Tape {
  readonly when: 'publish' | 'live';
  readonly packets: Told[];
  isClosed: boolean;
}

let harness: IngestHarness;
let tapes: Tape[];
beforeEach(async () => {
  harness = await IngestHarness.open();
  tapes = [];
  harness.taps.push({
    open: (_stream, when) => {
      const tape: Tape = { when, packets: [], isClosed: false };
      tapes.push(tape);
      return {
        packet: (kind, timestampMs) => tape.packets.push({ kind, timestampMs }),
        close: () => {
          tape.isClosed = true;
        },
      };
    },
  });
});
afterEach(() => harness.close());

/** The tap that is on air. */
const tape = (): Tape => tapes.find(({ when, isClosed }) => when === 'live' && !isClosed)!;

class Encoder {
  readonly stay: Stay;
  readonly #stream: Iterator<SynthMessage>;
  readonly #startMs: number;
  #next: SynthMessage | undefined;
  #firstMs: number | undefined;
  isSending = true;

  constructor(stay: Stay, stream: Partial<SynthOptions>) {
    this.stay = stay;
    this.#stream = synthStream({ durationMs: 600_000, ...stream })[Symbol.iterator]();
    this.#startMs = harness.clock.monotonicMs();
    this.#next = this.#stream.next().value;
  }

  /** Sends what is due. An encoder that stands still loses what it would have sent. */
  send(): void {
    const { publication } = this.stay;
    const atMs = harness.clock.monotonicMs();
    while (this.#next !== undefined) {
      const { kind, timestampMs, payload } = this.#next;
      this.#firstMs ??= timestampMs;
      if (timestampMs - this.#firstMs + this.#startMs > atMs) return;
      if (this.isSending) {
        const message = { payload: SliceList.of(payload), timestampMs, messageNumber: 1, byteOffset: 0, atMs };
        if (kind === 'video') publication.video(message);
        else if (kind === 'audio') publication.audio(message);
      }
      this.#next = this.#stream.next().value;
    }
  }
}

const encoders = new Set<Encoder>();
beforeEach(() => encoders.clear());

async function encoder(
  live: LiveVideo,
  index: InputIndex,
  stream: Partial<SynthOptions> = {},
  to = harness.engine,
): Promise<Encoder> {
  const made = new Encoder(await harness.publishInput(live, index, to), stream);
  encoders.add(made);
  return made;
}

/** Lets time pass in steps of 20 ms, with the tick of these processes every 100 ms. */
async function run(ms: number, processes: readonly BroadcastEngine[] = [harness.engine]): Promise<void> {
  const { clock } = harness;
  for (let passed = 0; passed < ms; passed += 20) {
    clock.advance(20);
    for (const each of encoders) each.send();
    if (passed % 100 !== 0) continue;
    for (const { publications } of processes) publications.tick(clock.wallMs(), clock.monotonicMs());
    if (passed % 2_000 === 0) for (const { publications } of processes) await publications.renewLeases();
    // Messages between processes, and the store's answers about leases.
    if (processes.length > 1) await turns();
  }
  await Promise.resolve();
}

/** Resolves when the store has this state of the broadcast. */
const stored = (live: LiveVideo, wanted: Partial<LiveVideo['data']>): Promise<void> =>
  until(async () => {
    const { data } = await harness.states.load(live.id);
    return Object.entries(wanted).every(([name, value]) => data[name] === value);
  });

const leave = async (each: Encoder, how: 'lost' | 'unpublished', from = harness.engine): Promise<void> => {
  encoders.delete(each);
  await from.publications.leave(each.stay.publication, how);
};

/** Resolves when what the processes told each other and wrote has arrived: writes of the store are in order. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const lease = await harness.store.leases.acquire('turn', 'this test', 60_000);
    if (lease !== undefined) await harness.store.leases.release(lease);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Steps of the timestamps on the tape that is open, per track: never back. */
function largestStepMs(of = tape()): number {
  let largest = 0;
  for (const track of ['audio', 'video']) {
    const times = of.packets.flatMap(({ kind, timestampMs }) => (kind === track ? [timestampMs] : []));
    for (const [at, ms] of times.entries()) {
      const before = times[at - 1] ?? ms;
      if (ms < before) throw new Error(`${track} goes back from ${before} to ${ms}`);
      if (track === 'video') largest = Math.max(largest, ms - before);
    }
  }
  return largest;
}

const records = (code: number) =>
  harness.entries.flatMap(({ change }) => (change.body.error_code === code ? [change.body] : []));

test('judges the encoder that stands by without showing it', async () => {
  const live = await harness.pair();
  const [primaryId, backupId] = live.data.inputStreamIds!;
  await encoder(live, 0);
  await encoder(live, 1, { sampleRate: 22_050 });
  await run(5_000);
  const { publications } = harness;
  expect(publications.get(live.id)!.inputStreamId).toBe(primaryId);
  expect(records(6303)).toMatchObject([{ input_stream: backupId }]);
  expect(publications.getInput(live.id, backupId!)!.health()).toMatchObject({ onAir: false, openErrors: [6303, 6508] });
  expect(publications.get(live.id)!.health()).toMatchObject({ onAir: true, openErrors: [], inputStream: primaryId });
  expect(tapes.filter(({ when }) => when === 'live')).toHaveLength(1);
  expect(records(6508).at(-1)).toMatchObject({
    input_stream: backupId,
    changes: [{ setting: 'sample_rate', before: 48_000, after: 22_050 }],
  });
});

test('goes on with the backup after a loss: same broadcast, one tape, no step back', async () => {
  const live = await harness.pair();
  const primary = await encoder(live, 0);
  await run(3_000);
  await encoder(live, 1, { startMs: 777_000 });
  await run(3_000);
  await leave(primary, 'lost');
  await run(5_000);
  await stored(live, { status: 'LIVE', stream: 'connected' });
  expect(tapes.filter(({ when }) => when === 'live')).toHaveLength(1);
  expect(tape().packets.at(-1)!.timestampMs).toBeGreaterThan(10_000);
  expect(largestStepMs()).toBeLessThanOrEqual(2_100);
  expect(records(6507)).toMatchObject([{ input_stream: live.data.inputStreamIds![1] }]);
  expect(records(6507)[0]!.description).toMatch(
    /^\[6507 BACKUP_ON_AIR\] This input stream went on air: the backup, since the primary input stream was lost; gap \d+ ms\./,
  );
  expect(records(6403)).toEqual([]);
});

test('goes on with the backup after silence, and the first stands by when it sends again', async () => {
  const live = await harness.pair();
  const primary = await encoder(live, 0);
  const backup = await encoder(live, 1, { width: 640, height: 360, videoKbps: 1000 });
  await run(3_000);
  primary.isSending = false;
  await run(6_000);
  expect(harness.publications.get(live.id)).toBe(backup.stay.publication);
  primary.isSending = true;
  await run(15_000);
  expect(harness.publications.get(live.id)).toBe(backup.stay.publication);
  expect(primary.stay.closings).toEqual([]);
  expect(largestStepMs()).toBeLessThanOrEqual(1_500 + 2_100);
  expect(records(6507)).toHaveLength(1);
  expect(records(6403)).toEqual([]);
  harness.publications.putOnAir(live.id, live.data.inputStreamIds![0]!);
  await run(3_000);
  expect(harness.publications.get(live.id)).toBe(primary.stay.publication);
  expect(largestStepMs()).toBeLessThanOrEqual(1_500 + 2_100);
});

test('a hundred switches in a row are one broadcast and one tape, whose time keeps pace with the clock', async () => {
  const live = await harness.pair();
  const both = [await encoder(live, 0), await encoder(live, 1, { startMs: 777_000, videoKbps: 900 })];
  await run(3_000);
  const aheadMs = () => tape().packets.at(-1)!.timestampMs - harness.clock.monotonicMs();
  const startedAheadMs = aheadMs();
  for (let at = 1; at <= 100; at++) {
    const [to, from]: [InputIndex, InputIndex] = at % 2 === 1 ? [1, 0] : [0, 1];
    const isCommand = at % 4 === 1;
    if (isCommand) harness.publications.putOnAir(live.id, live.data.inputStreamIds![to]!);
    else await leave(both[from]!, at % 4 === 2 ? 'unpublished' : 'lost');
    await run(2_200);
    expect(harness.publications.get(live.id)).toBe(both[to]!.stay.publication);
    if (!isCommand) both[from] = await encoder(live, from, { startMs: at * 1_000 });
    await run(200);
  }
  await stored(live, { status: 'LIVE', stream: 'connected' });
  expect(tapes.filter(({ when }) => when === 'live')).toHaveLength(1);
  expect(largestStepMs()).toBeLessThanOrEqual(2_100);
  expect(Math.abs(aheadMs() - startedAheadMs)).toBeLessThan(100);
  // Those of an input stream within a minute are one record.
  const counts = new Map(records(6507).map(({ id, count }) => [id, count]));
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(100);
  expect(records(6403)).toEqual([]);
}, 60_000);

test('an unpublish of one ends nothing while the other sends, and that of the last does', async () => {
  const live = await harness.pair({ stopOnDeleteStream: true });
  const primary = await encoder(live, 0);
  const backup = await encoder(live, 1);
  await run(3_000);
  await leave(backup, 'unpublished');
  await run(1_000);
  const again = await encoder(live, 1);
  await run(3_000);
  await leave(primary, 'unpublished');
  await run(3_000);
  await stored(live, { status: 'LIVE', stream: 'connected' });
  expect(again.stay.closings).toEqual([]);
  await leave(again, 'unpublished');
  await run(100);
  await stored(live, { status: 'LIVE_STOPPED' });
  expect(await harness.store.leases.holder(LEASE.publish(live.id))).toBeUndefined();
});

test('is interrupted when both are gone before the key frame of the second', async () => {
  const live = await harness.pair();
  const primary = await encoder(live, 0);
  const backup = await encoder(live, 1);
  await run(3_100);
  await leave(primary, 'lost');
  await leave(backup, 'lost');
  await run(100);
  await stored(live, { status: 'LIVE', stream: 'interrupted' });
  expect(tapes.every(({ isClosed }) => isClosed)).toBe(true);
  const back = await encoder(live, 0);
  await run(3_000);
  expect(harness.publications.get(live.id)).toBe(back.stay.publication);
  await stored(live, { status: 'LIVE', stream: 'connected' });
});

test('ends both with the broadcast, and closes the records of both', async () => {
  const live = await harness.pair();
  const primary = await encoder(live, 0, { channels: 1 });
  const backup = await encoder(live, 1, { channels: 1 });
  await run(3_000);
  await stored(live, { status: 'LIVE' });
  await harness.engine.service.request(live.id, { type: 'end' });
  for (const each of [primary, backup]) expect(each.stay.closings).toMatchObject([{ kind: 'ended' }]);
  const opened = new Set(records(6304).map(({ id }) => id));
  expect(opened.size).toBe(2);
  const closed = records(6304).filter(({ cleared_time_ms }) => cleared_time_ms !== null);
  expect(new Set(closed.map(({ id }) => id))).toEqual(opened);
});

test('tells that the other input stream is absent a minute after LIVE', async () => {
  const live = await harness.pair();
  await encoder(live, 0);
  await run(58_000);
  expect(records(6509)).toEqual([]);
  await run(8_000);
  expect(records(6509)).toHaveLength(1);
  expect(records(6509)[0]!.description).toContain('the backup is not connected');
});

/** The primary encoder in one process and the backup in another, both running. */
async function twoProcesses() {
  const live = await harness.pair();
  const other = harness.otherProcess('another process');
  const both = [harness.engine, other];
  const primary = await encoder(live, 0);
  await run(3_000, both);
  const backup = await encoder(live, 1, { startMs: 777_000 }, other);
  await run(3_000, both);
  expect(harness.publications.get(live.id)).toBe(primary.stay.publication);
  expect(other.publications.get(live.id)).toBeUndefined();
  return { live, other, both, primary, backup };
}

test('an input stream of another process that is asked for while it is silent goes on air once it sends', async () => {
  const { live, other, both, primary, backup } = await twoProcesses();
  backup.isSending = false;
  await run(4_000, both);
  harness.publications.putOnAir(live.id, live.data.inputStreamIds![1]!);
  await run(1_000, both);
  expect(harness.publications.get(live.id)).toBe(primary.stay.publication);
  backup.isSending = true;
  await run(3_000, both);
  expect(other.publications.get(live.id)).toBe(backup.stay.publication);
  // The first may be asked for again.
  other.publications.putOnAir(live.id, live.data.inputStreamIds![0]!);
  await run(4_000, both);
  expect(harness.publications.get(live.id)).toBe(primary.stay.publication);
});

test.each(['lost', 'silent', 'command'] as const)('another process takes the air: %s', async (why) => {
  const { live, other, both, primary, backup } = await twoProcesses();
  if (why === 'lost') await leave(primary, 'lost');
  else if (why === 'silent') primary.isSending = false;
  else other.publications.putOnAir(live.id, live.data.inputStreamIds![1]!);
  await run(5_000, both);
  expect(other.publications.get(live.id)).toBe(backup.stay.publication);
  expect(harness.publications.get(live.id)).toBeUndefined();
  await stored(live, { status: 'LIVE', stream: 'connected' });
  await stored(live, { publishFence: (await harness.store.leases.holder(LEASE.publish(live.id)))!.fence });
  expect(records(6507)).toHaveLength(1);
  const gapMs = Number(/gap (\d+) ms/.exec(String(records(6507)[0]!.observed))![1]);
  expect(gapMs).toBeLessThanOrEqual((why === 'silent' ? 1_500 : 0) + 2_100 + 400);
  expect(tapes.filter(({ when, isClosed }) => when === 'live' && !isClosed)).toHaveLength(1);
  expect(primary.stay.closings).toEqual([]);
  if (why === 'lost') return;
  primary.isSending = true;
  await run(5_000, both);
  expect(other.publications.get(live.id)).toBe(backup.stay.publication);
  await leave(backup, 'lost', other);
  await run(5_000, both);
  expect(harness.publications.get(live.id)).toBe(primary.stay.publication);
  await stored(live, { status: 'LIVE', stream: 'connected' });
});

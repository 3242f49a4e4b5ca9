/** Arrival in seconds of the clock, and the step of a lowered bitrate. */
import { describe, expect, test } from '@jest/globals';
import { DeliveryFacts } from '../../../src/facts/delivery/delivery-facts.js';
import { GAP_CAUGHT_UP, GAP_JUMPED, GAP_OTHER, NO_GAP } from '../../../src/facts/delivery/gap-facts.js';
import { bitrateBefore } from '../../../src/rules/cause.js';

interface Encoding {
  readonly kbps: number;
  readonly qp: number;
  /** How much later than due frames arrive. */
  readonly lagMs?: number;
}

const FRAME_MS = 40;
const TICK_MS = 100;

/** 25 frames a second for `ms`, with a tick every 100 ms. */
class Sender {
  readonly facts = new DeliveryFacts(200);
  #mediaMs = 0;
  #atMs = 5_000_000;
  #lastAtMs = 5_000_000;
  #tickAtMs = 5_000_000;

  send(ms: number, { kbps, qp, lagMs = 0 }: Encoding): this {
    for (let sent = 0; sent < ms; sent += FRAME_MS) {
      this.#mediaMs += FRAME_MS;
      this.#until(5_000_000 + this.#mediaMs + lagMs);
      this.facts.message((kbps * FRAME_MS) / 8, this.#atMs - this.#lastAtMs, this.#atMs);
      this.facts.gap.step(FRAME_MS);
      this.facts.video(qp);
      this.#lastAtMs = this.#atMs;
    }
    return this;
  }

  /** A look at the kernel's queue of the connection. */
  look(waitingBytes: number): this {
    this.facts.tick(this.#tickAtMs, this.#mediaMs, true, { lateMs: 0, waitingBytes });
    return this;
  }

  /** Nothing is read for `ms`, then all that came meanwhile. The ticks around the message that ends the pause are late by these. */
  stall(ms: number, lateBeforeMs: number, lateAfterMs: number): this {
    const atMs = this.#lastAtMs + ms;
    const tick = (lateMs: number) => this.facts.tick(atMs, this.#mediaMs, true, { lateMs });
    tick(lateBeforeMs);
    this.facts.message(12_500, ms, atMs);
    tick(lateAfterMs);
    this.#lastAtMs = atMs;
    return this;
  }

  #until(atMs: number): void {
    for (; this.#tickAtMs <= atMs; this.#tickAtMs += TICK_MS) {
      this.facts.tick(this.#tickAtMs, this.#mediaMs, true, { lateMs: 0 });
    }
    this.#atMs = Math.max(this.#atMs, atMs);
  }
}

const FULL: Encoding = { kbps: 2500, qp: 24 };

describe('a lowered bitrate', () => {
  const lowered = (after: Encoding, lagMs: number): number =>
    bitrateBefore(
      new Sender()
        .send(30_000, FULL)
        .send(3000, { ...FULL, lagMs })
        .send(9000, after).facts,
    );

  test('is a step of the rate with a coarser picture after a lag', () => {
    expect(lowered({ kbps: 1500, qp: 29 }, 600)).toBeCloseTo(2500, -2);
  });

  test.each([
    ['no coarser picture', { kbps: 1500, qp: 24 }, 600],
    ['no lag before', { kbps: 1500, qp: 29 }, 0],
    ['a lag that stays', { kbps: 1500, qp: 29, lagMs: 600 }, 600],
    ['a smaller step', { kbps: 2000, qp: 29 }, 600],
    ['an unknown QP', { kbps: 1500, qp: Number.NaN }, 600],
  ] as const)('is not seen with %s', (_what, after, lagMs) => {
    expect(lowered(after, lagMs)).toBeNaN();
  });
});

describe('bytes that wait in the kernel', () => {
  // At 2,500 kbps, 312,500 bytes are a second.
  test.each([
    ['at two looks', [625_000, 700_000], 2000],
    ['at one look, as after an outage', [0, 700_000], Number.NEGATIVE_INFINITY],
    ['for less than the bound', [60_000, 60_000], Number.NEGATIVE_INFINITY],
  ] as const)('%s', (_what, [first, second], lateMs) => {
    const sender = new Sender().send(8000, FULL).look(first).send(5000, FULL).look(second);
    const { facts } = sender;
    expect(facts.lateAtMs > 0 ? Math.round(facts.lateMs / 10) * 10 : facts.lateAtMs).toBe(lateMs);
  });
});

test('all of the lag is the delay of a server that leaves bytes in the kernel at two looks', () => {
  const behind = { ...FULL, lagMs: 3000 };
  const read = new Sender().send(8000, FULL).look(100_000).send(7000, behind).look(0);
  expect(read.facts.lateAtMs).toBe(Number.NEGATIVE_INFINITY);
  const unread = new Sender().send(8000, FULL).look(100_000).send(7000, behind).look(100_000);
  expect(unread.facts.lagMs).toBeGreaterThan(2800);
  expect(unread.facts.lateMs).toBeCloseTo(unread.facts.lagMs, 0);
});

test('at a high bitrate, the bytes that the kernel keeps are a short time of the stream', () => {
  const high = { kbps: 20_000, qp: 24 };
  const late = (bytes: number) =>
    new Sender()
      .send(8000, high)
      .look(bytes)
      .send(7000, { ...high, lagMs: 3000 })
      .look(bytes).facts.lateMs;
  expect(late(60_000)).toBe(0);
  expect(late(300_000)).toBeGreaterThan(2800);
});

test('short delays do not hide a long one of the last 10 s', () => {
  const { facts } = new Sender().send(8000, FULL);
  const late = (atMs: number, lateMs: number) => {
    facts.tick(5_008_000 + atMs, 8000, true, { lateMs });
    return facts.lateMs;
  };
  expect([late(0, 900), late(1500, 3000), late(3000, 900), late(11_000, 900), late(12_000, 900)]).toEqual([
    900, 3000, 3000, 3000, 900,
  ]);
  expect(facts.lateAtMs).toBe(5_020_000);
});

test('rates count the bytes for each second of the clock and of media', () => {
  const { facts } = new Sender().send(15_000, FULL);
  expect(facts.arrivedKbps(10)).toBeCloseTo(2500, -2);
  expect(facts.codedKbps(10)).toBeCloseTo(2500, -2);
  expect(facts.mediaRatio(10)).toBeCloseTo(1, 1);
  expect(facts.arrivedKbps(20)).toBeNaN();
});

describe('a gap', () => {
  test('is caught up when its media follows', () => {
    expect(
      new Sender()
        .send(20_000, FULL)
        .send(200, { ...FULL, lagMs: 4000 })
        .send(5000, FULL).facts.gap.state,
    ).toBe(GAP_CAUGHT_UP);
  });

  test('stays open while the lag stays, and ends unexplained', () => {
    const { facts } = new Sender().send(20_000, FULL).send(15_000, { ...FULL, lagMs: 4000 });
    expect(facts.gap.state).toBe(GAP_OTHER);
  });

  test('is a jump when the stamps leave it out', () => {
    const sender = new Sender().send(20_000, FULL);
    sender.facts.message(500, 4000, 5_024_000);
    sender.facts.gap.step(4000);
    sender.facts.tick(5_024_100, 24_000, true, { lateMs: 0 });
    expect(sender.facts.gap.state).toBe(GAP_JUMPED);
  });

  test('is none while a large message was on its way', () => {
    const sender = new Sender().send(20_000, FULL);
    sender.facts.message(500_000, 3000, 5_023_000);
    expect(sender.facts.gap.state).toBe(NO_GAP);
  });
});

describe('an even arrival', () => {
  const isEven = (sender: Sender) => sender.facts.isEven;

  test('is known after 10 s', () => {
    expect([isEven(new Sender().send(9_000, FULL)), isEven(new Sender().send(12_000, FULL))]).toEqual([false, true]);
  });

  test.each([
    ['of 300 ms', 300, false],
    ['of single frames', 100, true],
  ])('and a lag %s', (_what, lagMs, expected) => {
    expect(isEven(new Sender().send(30_000, FULL).send(2_000, { ...FULL, lagMs }))).toBe(expected);
  });

  test.each([
    ['by the tick before its end', 260, 150, 0, true],
    ['by the tick after its end', 260, 0, 150, true],
    ['in part', 600, 150, 150, false],
    ['by nothing', 260, 0, 0, false],
  ])('and a pause that the delay of the server explains %s', (_what, ms, before, after, expected) => {
    const stalled = new Sender().send(30_000, FULL).stall(ms, before, after);
    expect(isEven(stalled)).toBe(expected);
    expect(stalled.send(1_000, FULL).facts.loss.interruptedMs).toBe(ms);
  });

  test('is even again 10 s after a lag or a pause', () => {
    const paused = new Sender()
      .send(30_000, FULL)
      .send(40, { ...FULL, lagMs: 400 })
      .send(2_000, FULL);
    expect(isEven(paused)).toBe(false);
    expect(isEven(paused.send(12_000, FULL))).toBe(true);
  });
});

/** Two encoders as packets and time: which one is on air, and the timestamps of what is. */
import { type InputIndex, OnAir, type OnAirSettings, other, type Switch } from '../../../src/lifecycle/on-air.js';

const FRAME_MS = 40;
const KEY_EVERY = 50;
const AFTER_MS = 1500;

interface Encoder {
  /** Its clock at the start of the test. */
  readonly clockMs: number;
  /** The frame with which its key frames begin. */
  readonly phase: number;
  isSending: boolean;
  isConnected: boolean;
}

/** Feeds a choice with the frames of two encoders, 40 ms of a hand-driven clock at a time. */
class Studio {
  readonly onAir: OnAir;
  readonly switches: Switch[] = [];
  readonly out: { readonly input: InputIndex; readonly ms: number; readonly atMs: number }[] = [];
  readonly encoders: readonly [Encoder, Encoder];
  #frame = 0;

  constructor(settings: Partial<OnAirSettings> = {}, clocks: readonly [number, number] = [0, 123_456]) {
    this.onAir = new OnAir({ afterMs: AFTER_MS, returns: false, ...settings });
    this.encoders = [
      { clockMs: clocks[0], phase: 0, isSending: true, isConnected: true },
      { clockMs: clocks[1], phase: 17, isSending: true, isConnected: true },
    ];
    this.onAir.connect(0, 0);
    this.onAir.connect(1, 0);
    this.onAir.begin(0);
  }

  get atMs(): number {
    return this.#frame * FRAME_MS;
  }

  run(ms: number, lateMs = 0): void {
    for (const endMs = this.atMs + ms; this.atMs < endMs; this.#frame++) {
      this.onAir.tick(this.atMs, lateMs);
      for (const input of [0, 1] as const) this.#packet(input);
    }
  }

  #packet(input: InputIndex): void {
    const { clockMs, phase, isSending, isConnected } = this.encoders[input];
    if (!isSending || !isConnected) return;
    const { atMs, onAir } = this;
    const timestampMs = (clockMs + atMs) >>> 0;
    onAir.arrived(input, atMs);
    const isKeyFrame = this.#frame % KEY_EVERY === phase;
    if (onAir.current !== input && isKeyFrame && onAir.mayBegin(input))
      this.switches.push(onAir.switchTo(input, timestampMs, atMs));
    if (onAir.current !== input) return;
    this.out.push({ input, ms: onAir.place(input, timestampMs, atMs), atMs });
  }

  lose(input: InputIndex): void {
    this.encoders[input].isConnected = false;
    this.onAir.disconnect(input);
  }

  /** Largest step of time on air, which must never go back. */
  get largestStepMs(): number {
    return this.out.reduce((most, { ms }, at) => {
      const before = this.out[at - 1]?.ms;
      if (before === undefined) return most;
      if (ms <= before) throw new Error(`time on air goes back from ${before} to ${ms}`);
      return Math.max(most, ms - before);
    }, 0);
  }
}

test('chooses the other input after the silence, from its next key frame on', () => {
  const studio = new Studio();
  studio.run(10_000);
  studio.encoders[0].isSending = false;
  studio.run(5_000);
  expect(studio.switches).toMatchObject([{ to: 1, reason: 'silent' }]);
  const gapMs = studio.largestStepMs;
  expect(gapMs).toBeGreaterThanOrEqual(AFTER_MS);
  expect(gapMs).toBeLessThanOrEqual(AFTER_MS + KEY_EVERY * FRAME_MS + FRAME_MS);
  expect(studio.switches[0]!.gapMs).toBe(gapMs);
});

test('chooses the other input at once when the connection is lost', () => {
  const studio = new Studio();
  studio.run(10_000);
  studio.lose(0);
  studio.run(5_000);
  expect(studio.switches).toMatchObject([{ to: 1, reason: 'lost' }]);
  expect(studio.largestStepMs).toBeLessThanOrEqual(KEY_EVERY * FRAME_MS + FRAME_MS);
});

test('shows the input on air until the key frame of the one that was asked for', () => {
  const studio = new Studio();
  studio.run(10_000);
  expect(studio.onAir.choose(1, 'command')).toBe(true);
  studio.run(5_000);
  expect(studio.switches).toMatchObject([{ to: 1, reason: 'command' }]);
  expect(studio.largestStepMs).toBeLessThanOrEqual(2 * FRAME_MS);
});

test('refuses an input that is not connected, and forgets a choice for the one on air', () => {
  const studio = new Studio();
  studio.lose(1);
  expect(studio.onAir.choose(1, 'command')).toBe(false);
  studio.onAir.connect(1, studio.atMs);
  studio.onAir.choose(1, 'command');
  studio.onAir.choose(0, 'command');
  expect(studio.onAir.next).toBeUndefined();
});

test.each([
  ['clocks of any start', [0, 4_000_000_000]],
  ['clocks that wrap at 32 bits', [0xffff_f000, 0xffff_0000]],
])('goes on in time over a hundred switches with %s', (_, clocks) => {
  const studio = new Studio({}, clocks as [number, number]);
  studio.run(5_000);
  const startMs = studio.out[0]!.ms;
  for (let i = 0; i < 100; i++) {
    const from = studio.onAir.current!;
    const encoder = studio.encoders[from];
    if (i % 3 === 0) studio.onAir.choose(other(from), 'command');
    else if (i % 3 === 1) studio.lose(from);
    else encoder.isSending = false;
    studio.run(6_000);
    if (!encoder.isConnected) studio.onAir.connect(from, studio.atMs);
    encoder.isSending = true;
    encoder.isConnected = true;
    studio.run(10_000);
  }
  expect(studio.switches).toHaveLength(100);
  const times = studio.out.map(({ ms }) => (ms - startMs) >>> 0);
  expect(times.every((ms, at) => at === 0 || ms > times[at - 1]!)).toBe(true);
  // Neither lost nor gained: what is on air keeps its distance to the clock.
  const byClockMs = studio.out.at(-1)!.atMs - studio.out[0]!.atMs;
  expect(Math.abs(times.at(-1)! - byClockMs)).toBeLessThan(2 * FRAME_MS);
});

test('tells the overlap of a stream that arrived ahead of its time', () => {
  const onAir = new OnAir({ afterMs: AFTER_MS, returns: false });
  onAir.connect(0, 0);
  onAir.connect(1, 0);
  onAir.begin(0);
  for (let ms = 0; ms < 6_000; ms += FRAME_MS) onAir.place(0, ms, ms);
  // A second of sound arrives at once: it lies before the clock, until the encoder is on time again.
  for (let ms = 6_000; ms < 7_000; ms += FRAME_MS) onAir.place(0, ms, 6_000);
  onAir.choose(1, 'command');
  const { gapMs } = onAir.switchTo(1, 99, 6_000);
  expect(gapMs).toBe(-960);
  expect(onAir.place(1, 99, 6_000)).toBe(6_961);
  expect(onAir.place(1, 98, 6_000)).toBe(-1);
});

test('makes one automatic switch in ten seconds at most, and none between two that are silent', () => {
  const studio = new Studio();
  studio.run(10_000);
  studio.encoders[0].isSending = false;
  studio.run(5_000);
  studio.encoders[0].isSending = true;
  studio.encoders[1].isSending = false;
  studio.run(4_000);
  expect(studio.switches).toHaveLength(1);
  studio.run(8_000);
  expect(studio.switches).toHaveLength(2);
  studio.encoders[0].isSending = false;
  studio.run(30_000);
  expect(studio.switches).toHaveLength(2);
});

test.each([
  [true, 1],
  [false, 0],
])('returns to the primary input by itself only where that was asked for: %s', (returns, count) => {
  const studio = new Studio({ returns });
  studio.run(10_000);
  studio.encoders[0].isSending = false;
  studio.run(5_000);
  studio.encoders[0].isSending = true;
  studio.run(9_000);
  expect(studio.switches).toHaveLength(1);
  studio.onAir.judged(0, true, studio.atMs);
  studio.run(9_000);
  expect(studio.switches).toHaveLength(1);
  studio.run(5_000);
  expect(studio.switches.slice(1)).toHaveLength(count);
  if (returns) expect(studio.switches[1]).toMatchObject({ to: 0, reason: 'returned' });
});

test('takes no input for silent while the process is late', () => {
  const { onAir } = new Studio();
  onAir.arrived(1, 2_000);
  onAir.tick(2_000, 1_900);
  expect(onAir.next).toBeUndefined();
  expect(onAir.isSilentOnAir(2_000)).toBe(false);
  onAir.arrived(1, 3_600);
  onAir.tick(3_600, 0);
  expect(onAir.next).toBe(1);
});

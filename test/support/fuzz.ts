/**
 * Structure-aware fuzzing with a seed: valid inputs are damaged, a decoder sees them, and only WireError may leave it.
 * Runs a fixed number of rounds, so a failure repeats; with FUZZ_SECONDS set it goes on for that long instead, from a
 * seed that is printed in the failure.
 */
import { appendFileSync } from 'node:fs';
import { WireError } from '../../src/bytes/wire-error.js';

export type Random = () => number;

/** mulberry32: numbers from 0 to below 1. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

const INTERESTING = [0, 1, 2, 3, 4, 7, 8, 0x0f, 0x10, 0x1f, 0x20, 0x7f, 0x80, 0xf0, 0xfe, 0xff];

/** One to eight damages: bits, bytes, cuts, insertions, repeats, and parts of another input. */
export function damage(random: Random, input: Uint8Array, other: Uint8Array): Uint8Array {
  let bytes = Array.from(input);
  const rounds = 1 + Math.floor(random() * 8);
  for (let i = 0; i < rounds; i++) {
    const at = Math.floor(random() * (bytes.length + 1));
    const count = Math.floor(random() * 12);
    switch (Math.floor(random() * 8)) {
      case 0:
        if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(random() * 8));
        break;
      case 1:
        if (at < bytes.length) bytes[at] = pick(random, INTERESTING);
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes.splice(at, count);
        break;
      case 4:
        bytes.splice(at, 0, ...Array.from({ length: count }, () => Math.floor(random() * 256)));
        break;
      case 5:
        bytes.splice(at, 0, ...bytes.slice(at, at + count));
        break;
      case 6:
        bytes.splice(at, 0, ...other.slice(Math.floor(random() * other.length), Math.floor(random() * other.length)));
        break;
      default:
        bytes.fill(pick(random, INTERESTING), at, at + count);
    }
  }
  return Uint8Array.from(bytes);
}

export interface FuzzOptions {
  readonly seeds: readonly Uint8Array[];
  readonly rounds?: number;
  readonly seed?: number;
  /** Decodes, and throws what is not WireError when a property of the result does not hold. */
  readonly decode: (input: Uint8Array) => void;
}

export interface AsyncFuzzOptions extends Omit<FuzzOptions, 'decode'> {
  readonly decode: (input: Uint8Array) => Promise<void>;
}

export interface Finding {
  readonly input: string;
  readonly seed: number;
  readonly error: unknown;
}

/** Runs the decoder over damaged inputs. Returns the first finding, or undefined. */
export function fuzz(options: FuzzOptions): Finding | undefined {
  const campaign = new Campaign(options);
  for (const input of campaign.inputs()) {
    try {
      options.decode(input);
    } catch (error) {
      if (!(error instanceof WireError)) return campaign.found(input, error);
    }
  }
  return campaign.passed();
}

/** The same for what answers in its own time. */
export async function fuzzAsync(options: AsyncFuzzOptions): Promise<Finding | undefined> {
  const campaign = new Campaign(options);
  for (const input of campaign.inputs()) {
    try {
      await options.decode(input);
    } catch (error) {
      if (!(error instanceof WireError)) return campaign.found(input, error);
    }
  }
  return campaign.passed();
}

class Campaign {
  readonly #options: Omit<FuzzOptions, 'decode'>;
  readonly #seconds = Number(process.env.FUZZ_SECONDS ?? 0);
  readonly #startedMs = Date.now();
  readonly #seed: number;
  #executions = 0;

  constructor(options: Omit<FuzzOptions, 'decode'>) {
    this.#options = options;
    this.#seed = options.seed ?? (this.#seconds > 0 ? this.#startedMs >>> 0 : 1);
  }

  *inputs(): Generator<Uint8Array> {
    const { seeds, rounds = 10_000 } = this.#options;
    const random = seededRandom(this.#seed);
    const until = this.#startedMs + this.#seconds * 1000;
    for (let i = 0; this.#seconds > 0 ? i % 64 !== 0 || Date.now() < until : i < rounds; i++) {
      this.#executions++;
      yield i < seeds.length ? (seeds[i] as Uint8Array) : damaged(random, seeds);
    }
  }

  found(input: Uint8Array, error: unknown): Finding {
    const finding = { input: Buffer.from(input).toString('hex'), seed: this.#seed, error };
    this.#report(finding);
    return finding;
  }

  passed(): undefined {
    this.#report();
    return undefined;
  }

  /** One line for `npm run fuzz`. */
  #report(finding?: Finding): void {
    const path = process.env.FUZZ_LOG;
    if (path === undefined) return;
    const line = {
      target: expect.getState().currentTestName,
      executions: this.#executions,
      seconds: (Date.now() - this.#startedMs) / 1000,
      seed: this.#seed,
      memoryMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
      ...(finding === undefined ? {} : { input: finding.input, error: String(finding.error) }),
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  }
}

function damaged(random: Random, seeds: readonly Uint8Array[]): Uint8Array {
  return damage(random, pick(random, seeds), pick(random, seeds));
}

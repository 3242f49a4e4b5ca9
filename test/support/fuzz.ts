/**
 * Fuzzing with a seed: damaged inputs go to a reader of foreign bytes, and only the error it names may leave it. `fuzz` runs a
 * fixed number of executions: the first eighth of them in `npm test`, all in `npm run test:long`. `test/fuzz/campaign.ts` runs the
 * same targets for as long as asked.
 */
import { WireError } from '../../src/bytes/wire-error.js';
import { type Corpus, inputOf } from './mutation.js';
import type { Random } from './random.js';

export { damage, type Parts, pick, whole } from './mutation.js';
export { type Random, seededRandom } from './random.js';

export interface FuzzTarget extends Corpus {
  /** Executions in `npm run test:long`; `npm test` runs the first eighth. */
  readonly rounds?: number;
  /**
   * Most that a KiB of input may take, milliseconds of a slow machine; only looked at by the campaign. A reader whose time grows
   * faster than its input is beyond any such bound once the input is grown.
   */
  readonly msPerKiB?: number;
  /** Decodes, and throws what is not WireError when a property of the result does not hold. `random` is for cuts. */
  decode(input: Uint8Array, random: Random): void | Promise<void>;
  close?(): Promise<void>;
}

export interface Finding {
  /** Hexadecimal, for an input of no more than 200 bytes: the seed and the execution make any input again. */
  readonly input: string | undefined;
  readonly seed: number;
  readonly execution: number;
  readonly error: unknown;
}

const ROUNDS = 4_000;
const SHORT_SHARE = 8;
const SEED = 1;

/** Runs the target over its damaged inputs. Resolves with the first finding, or undefined. */
export function fuzz(target: FuzzTarget): Promise<Finding | undefined> {
  return fuzzFor(target, Math.ceil((target.rounds ?? ROUNDS) / SHORT_SHARE));
}

/** The same with all executions. */
export function fuzzLong(target: FuzzTarget): Promise<Finding | undefined> {
  return fuzzFor(target, target.rounds ?? ROUNDS);
}

async function fuzzFor(target: FuzzTarget, rounds: number): Promise<Finding | undefined> {
  for (let execution = 0; execution < rounds; execution++) {
    const { input, random } = inputOf(target, SEED, execution);
    const error = await errorOf(target, input, random);
    if (error !== undefined) return { input: shown(input), seed: SEED, execution, error };
  }
  return undefined;
}

const SHOWN_BYTES = 200;

export function shown(input: Uint8Array): string | undefined {
  return input.length > SHOWN_BYTES ? undefined : Buffer.from(input).toString('hex');
}

/** What left the target that may not. */
export async function errorOf(target: FuzzTarget, input: Uint8Array, random: Random): Promise<unknown> {
  try {
    const result = target.decode(input, random);
    if (result !== undefined) await result;
    return undefined;
  } catch (error) {
    return error instanceof WireError ? undefined : (error ?? new Error('undefined was thrown'));
  }
}

/**
 * The ways in which bytes may arrive: whole, one by one where they are few, and cut at random; each piece in a buffer of its own.
 * Throws when `run` says something else of one way than of another.
 */
export function cutsChangeNothing(
  input: Uint8Array,
  random: Random,
  run: (pieces: Iterable<Uint8Array>) => string,
): void {
  const expected = run([input.slice()]);
  const check = (way: string, pieces: Iterable<Uint8Array>): void => {
    const actual = run(pieces);
    if (actual !== expected) throw new Error(`${way}: ${difference(actual, expected)}`);
  };
  if (input.length <= 4096)
    check(
      'byte by byte',
      cut(input, () => 1),
    );
  const most = 1 + Math.floor(random() ** 3 * 5000);
  check(
    `in pieces of up to ${most}`,
    cut(input, () => 1 + Math.floor(random() * most)),
  );
}

function* cut(input: Uint8Array, size: () => number): Generator<Uint8Array> {
  for (let at = 0; at < input.length; ) {
    const end = Math.min(input.length, at + size());
    yield input.slice(at, end);
    at = end;
  }
}

function difference(actual: string, expected: string): string {
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at++;
  const from = Math.max(0, at - 60);
  return `…${actual.slice(from, at + 120)}… in place of …${expected.slice(from, at + 120)}…`;
}

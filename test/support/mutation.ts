/**
 * Damages valid inputs as hostile peers would: their parts (messages, tags, NAL units, form parts) are put in another order,
 * repeated, left out, cut off or taken from another input, lengths lie, and bytes are spoiled. All from one `Random`.
 */
import { type Random, seededRandom } from './random.js';

/** A valid input as the list of what it is made of. */
export type Parts = readonly Uint8Array[];

export interface Corpus {
  readonly seeds: readonly Parts[];
  /** Texts that mean something to the reader: names of prototypes, brackets, numbers that no type holds. */
  readonly words?: readonly string[];
  /** Inputs that are grown by repeating a part stay below this. */
  readonly largestBytes?: number;
}

const INTERESTING = [0, 1, 2, 3, 4, 7, 8, 0x0f, 0x10, 0x1f, 0x20, 0x7f, 0x80, 0xf0, 0xfe, 0xff];
const LARGEST_BYTES = 128 * 1024;
/** One input in this many is enlarged, since large ones take long. */
const GROWN_ONE_IN = 60;

/** The input of one execution of a campaign: the same for the same numbers. The first ones are the seeds as they are. */
export function inputOf(corpus: Corpus, seed: number, execution: number): { input: Uint8Array; random: Random } {
  const random = seededRandom(Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) + Math.imul(execution, 0x85ebca6b));
  const untouched = corpus.seeds[execution];
  return { input: untouched === undefined ? mutated(random, corpus) : Buffer.concat(untouched), random };
}

export function whole(random: Random, choices: number): number {
  return Math.floor(random() * choices);
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[whole(random, choices.length)] as T;
}

/** One or several kinds of damage to one of the seeds. */
export function mutated(random: Random, corpus: Corpus): Uint8Array {
  const other = pick(random, corpus.seeds);
  let parts: Uint8Array[] = [...pick(random, corpus.seeds)];
  if (random() < 0.6) parts = rearranged(random, parts, other);
  for (let rounds = whole(random, 3); rounds > 0 && parts.length > 0; rounds--) {
    const at = whole(random, parts.length);
    const part = parts[at] as Uint8Array;
    parts[at] = random() < 0.5 ? lying(random, part, Buffer.concat(parts).length) : damaged(random, part, part);
  }
  if (random() < 1 / GROWN_ONE_IN) parts = grown(random, parts, corpus.largestBytes ?? LARGEST_BYTES);
  const input = Buffer.concat(parts);
  if (corpus.words !== undefined && random() < 0.5) return worded(random, input, corpus);
  return random() < 0.3 ? damage(random, input, Buffer.concat(other)) : input;
}

/** One to five changes to the order and the number of parts. */
function rearranged(random: Random, original: Parts, other: Parts): Uint8Array[] {
  const parts = [...original];
  for (let rounds = 1 + whole(random, 5); rounds > 0; rounds--) {
    const at = whole(random, parts.length + 1);
    const to = Math.min(parts.length, at + 1 + whole(random, 4));
    switch (whole(random, 7)) {
      case 0:
        parts.splice(whole(random, parts.length + 1), 0, ...parts.splice(at, to - at));
        break;
      case 1:
        parts.splice(to, 0, ...parts.slice(at, to));
        break;
      case 2:
        parts.splice(at, to - at);
        break;
      case 3:
        // Cut off at a boundary, or next to one.
        parts.length = at;
        if (at > 0 && random() < 0.5) parts[at - 1] = (parts[at - 1] as Uint8Array).subarray(0, -1);
        break;
      case 4:
        parts.splice(at, 0, ...other.slice(whole(random, other.length)).slice(0, 1 + whole(random, 4)));
        break;
      case 5: {
        const part = parts[at];
        if (part !== undefined) parts[at] = part.subarray(0, whole(random, part.length + 1));
        break;
      }
      default:
        parts.splice(at, to - at, ...parts.slice(at, to).reverse());
    }
  }
  return parts;
}

/** One part, or a few that follow each other, over and over: what takes more time than its bytes are worth shows itself. */
function grown(random: Random, parts: Parts, largestBytes: number): Uint8Array[] {
  const at = whole(random, parts.length);
  const size = 1 + whole(random, 3);
  let repeated: Uint8Array = Buffer.concat(parts.slice(at, at + size));
  if (random() < 0.4) repeated = repeated.subarray(whole(random, repeated.length), repeated.length);
  if (random() < 0.4) repeated = repeated.subarray(0, 1 + whole(random, 24));
  if (repeated.length === 0) return [...parts];
  const bytes = 2 ** (10 + random() * (Math.log2(largestBytes) - 10));
  const times = Math.floor(bytes / repeated.length);
  return [...parts.slice(0, at), Buffer.alloc(times * repeated.length, repeated), ...parts.slice(at)];
}

/** A big-endian field that could be a length says something else. `total`: bytes of the whole input. */
function lying(random: Random, part: Uint8Array, total: number): Uint8Array {
  const width = 1 + whole(random, 4);
  if (part.length < width) return part;
  const bytes = Buffer.from(part);
  let at = whole(random, bytes.length - width + 1);
  for (let tries = 0; tries < 6; tries++) {
    const value = bytes.readUIntBE(at, width);
    if (value > 0 && value <= total) break;
    at = whole(random, Math.min(bytes.length - width + 1, 64));
  }
  const value = bytes.readUIntBE(at, width);
  const most = 2 ** (8 * width) - 1;
  const lies = [
    0,
    1,
    value - 1,
    value + 1,
    value * 2,
    part.length,
    part.length + 1,
    total,
    most,
    (most + 1) / 2,
    most - 1,
  ];
  bytes.writeUIntBE(Math.min(most, Math.max(0, pick(random, lies))), at, width);
  return bytes;
}

/** One to four words at random places, now and then as often as there is room for. */
function worded(random: Random, input: Uint8Array, { words = [], largestBytes = LARGEST_BYTES }: Corpus): Uint8Array {
  let bytes = input;
  for (let rounds = 1 + whole(random, 4); rounds > 0; rounds--) {
    const at = whole(random, bytes.length + 1);
    const word = Buffer.from(pick(random, words));
    const times = random() < 1 / GROWN_ONE_IN ? Math.floor(largestBytes ** random() / word.length) : 1;
    const inserted = Buffer.alloc(word.length * times, word);
    bytes = spliced(bytes, at, random() < 0.5 ? 0 : word.length, inserted);
  }
  return bytes;
}

/** One to eight damages to bits and bytes: changes, cuts, insertions, repeats, and parts of another input. */
export function damage(random: Random, input: Uint8Array, other: Uint8Array): Uint8Array {
  let bytes = input;
  for (let rounds = 1 + whole(random, 8); rounds > 0; rounds--) bytes = damaged(random, bytes, other);
  return bytes;
}

function damaged(random: Random, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  const at = whole(random, bytes.length + 1);
  const count = whole(random, 12);
  switch (whole(random, 8)) {
    case 0:
      return spliced(bytes, at, 1, Uint8Array.of((bytes[at] ?? 0) ^ (1 << whole(random, 8))));
    case 1:
      return spliced(bytes, at, 1, Uint8Array.of(pick(random, INTERESTING)));
    case 2:
      return bytes.slice(0, at);
    case 3:
      return spliced(bytes, at, count, new Uint8Array(0));
    case 4:
      return spliced(
        bytes,
        at,
        0,
        Uint8Array.from({ length: count }, () => whole(random, 256)),
      );
    case 5:
      return spliced(bytes, at, 0, bytes.subarray(at, at + count));
    case 6: {
      const from = whole(random, other.length);
      return spliced(bytes, at, 0, other.subarray(from, from + whole(random, other.length)));
    }
    default:
      return new Uint8Array(bytes).fill(pick(random, INTERESTING), at, at + count);
  }
}

function spliced(bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]);
}

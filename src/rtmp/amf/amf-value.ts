import { WireError } from '../../bytes/wire-error.js';
import type { AmfLimits } from '../limits.js';

/** Created without a prototype, so that `__proto__` and `constructor` are ordinary members. */
export interface AmfObject {
  [member: string]: AmfValue;
}

export type AmfValue = number | boolean | string | null | undefined | AmfDate | Uint8Array | AmfValue[] | AmfObject;

export class AmfDate {
  readonly epochMs: number;
  /** Time zone as sent; AMF0 2.13 reserves it and says to ignore it. */
  readonly timeZoneMinutes: number;

  constructor(epochMs: number, timeZoneMinutes = 0) {
    this.epochMs = epochMs;
    this.timeZoneMinutes = timeZoneMinutes;
  }

  toJSON(): string | null {
    return Number.isFinite(this.epochMs) && Math.abs(this.epochMs) <= 8.64e15
      ? new Date(this.epochMs).toISOString()
      : null;
  }
}

export function amfObject(members: Readonly<Record<string, AmfValue>> = {}): AmfObject {
  return Object.assign(Object.create(null) as AmfObject, members);
}

export function isAmfObject(value: AmfValue): value is AmfObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof AmfDate) &&
    !(value instanceof Uint8Array)
  );
}

/**
 * Counts the values built from one body. A reference counts with everything that it refers to, because code that walks the
 * values visits it once per reference.
 */
export class AmfBudget {
  readonly #limits: AmfLimits;
  readonly #clause: string;
  #entries = 0;
  #depth = 0;

  constructor(limits: AmfLimits, clause: string) {
    this.#limits = limits;
    this.#clause = clause;
  }

  get entries(): number {
    return this.#entries;
  }

  count(entries: number, offset: number): void {
    this.#entries += entries;
    if (this.#entries > this.#limits.entries) {
      throw new WireError('AMF_TOO_MANY_ENTRIES', `more than ${this.#limits.entries} entries`, this.#clause, offset);
    }
  }

  enter(offset: number): void {
    this.#depth++;
    if (this.#depth > this.#limits.depth) {
      throw new WireError('AMF_TOO_DEEP', `nested deeper than ${this.#limits.depth}`, this.#clause, offset);
    }
  }

  leave(): void {
    this.#depth--;
  }

  string(bytes: number, offset: number): number {
    if (bytes > this.#limits.stringBytes) {
      throw new WireError(
        'AMF_STRING_TOO_LONG',
        `a string of ${bytes} bytes; the limit is ${this.#limits.stringBytes}`,
        this.#clause,
        offset,
      );
    }
    return bytes;
  }
}

/** Reference table. An object gets its index when it begins, but may be referred to only when complete. */
export class AmfReferences {
  readonly #values: AmfValue[] = [];
  readonly #weights: number[] = [];

  /** Assigns the next index to a value that is being read. */
  open(value: AmfValue): number {
    this.#values.push(value);
    this.#weights.push(-1);
    return this.#values.length - 1;
  }

  close(index: number, entries: number): void {
    this.#weights[index] = entries;
  }

  get(index: number, budget: AmfBudget, clause: string, offset: number): AmfValue {
    const weight = this.#weights[index];
    if (weight === undefined || weight < 0) {
      // A cycle would make every later walk of the value endless.
      throw new WireError('AMF_REFERENCE', `a reference to value ${index}, which is not complete`, clause, offset);
    }
    budget.count(weight + 1, offset);
    return this.#values[index];
  }
}

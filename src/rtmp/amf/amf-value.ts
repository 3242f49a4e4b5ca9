import { WireError } from '../../bytes/wire-error.js';
import type { AmfLimits } from '../limits.js';

/** Objects have no prototype, so that a member named `__proto__` or `constructor` is a member and nothing more. */
export interface AmfObject {
  [member: string]: AmfValue;
}

export type AmfValue = number | boolean | string | null | undefined | AmfDate | Uint8Array | AmfValue[] | AmfObject;

export class AmfDate {
  readonly epochMs: number;
  /** As sent; the specification says to ignore it (AMF0 2.13). */
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
 * Counts what one body has made us build. References are counted with all that they refer to, because whoever walks the
 * values later walks it again for each reference.
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

/** Objects that a later reference may name. An object is named from its start on, but may be used only when complete. */
export class AmfReferences {
  readonly #values: AmfValue[] = [];
  readonly #weights: number[] = [];

  /** Gives the next index to a value that is being read. */
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
      // A value inside itself would send every later walker round in circles.
      throw new WireError('AMF_REFERENCE', `a reference to value ${index}, which is not complete`, clause, offset);
    }
    budget.count(weight + 1, offset);
    return this.#values[index];
  }
}

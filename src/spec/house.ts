/**
 * The numbers that an operator puts over the published ones (docs/house-spec.md). They are set once, before the modules of the
 * specification are loaded, which read them as they are evaluated: texts and tables follow the numbers without further code.
 */

import { isRecord } from '../lib/objects.js';
import type { Severity } from './error-record.js';

export interface Range {
  readonly min: number;
  readonly max: number;
}

export interface HouseProfile {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fps?: 30 | 60 | undefined;
  readonly videoBitrateKbps: Range;
}

/** Bounds that replace those of `live` for some streams. */
export interface Condition {
  readonly when: {
    /** Short name of a profile: `1080p60`. */
    readonly profile?: string | undefined;
    /** FourCC of a video codec: `hvc1`. */
    readonly codec?: string | undefined;
    /** Class of the frame rate. */
    readonly class?: 30 | 60 | undefined;
  };
  readonly keyFrameInterval?:
    | { readonly recommendedMs?: number | undefined; readonly maxMs?: number | undefined }
    | undefined;
  readonly videoBitrateKbps?: Range | undefined;
  readonly audio?: Readonly<Record<string, unknown>> | undefined;
}

/** Permitted content of the file; absent parts are as published. */
export interface HouseSpec {
  /** Name and hash of the file, as records state it. */
  readonly name: string;
  readonly live: object;
  readonly upload: object;
  readonly severities: Readonly<Record<number, Severity>>;
  /** Group → name → value. */
  readonly tolerances: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly conditions: readonly Condition[];
}

/** A process has several bundles, each with a copy of this module. */
const SLOT_NAME = 'airlock.house-spec';
const SLOT = Symbol.for(SLOT_NAME);

interface Slot {
  readonly house: HouseSpec | undefined;
}

/** Argument of the function into which scripts/core-in-function.mjs puts the judge: each call of it has numbers of its own. */
declare const SLOT_OF_CORE: Slot;

function slot(): Slot | undefined {
  return typeof SLOT_OF_CORE === 'undefined' ? (globalThis as { [SLOT]?: Slot })[SLOT] : SLOT_OF_CORE;
}

/** Environment variable with which the supervisor hands the numbers to its processes. */
export const HOUSE_VARIABLE = 'AIRLOCK_HOUSE_SPEC';

/** @throws if the specification was read before */
export function adoptHouseSpec(house: HouseSpec): void {
  if (slot() !== undefined) throw new Error('the specification is in use: set it before the modules that read it');
  (globalThis as { [SLOT]?: Slot })[SLOT] = { house };
}

/** The numbers in force over the published ones; undefined where the published ones are. */
export function houseSpec(): HouseSpec | undefined {
  if (slot() === undefined) (globalThis as { [SLOT]?: Slot })[SLOT] = { house: undefined };
  return slot()?.house;
}

/** A script that sets the numbers in a browser, where it has to run before the modules of the specification. */
export function houseScript(house: HouseSpec): string {
  return `globalThis[Symbol.for(${JSON.stringify(SLOT_NAME)})] = ${JSON.stringify({ house })};\n`;
}

/** The name of the specification of records that state no file. */
export const PUBLISHED = 'published';

/** The severity of a code, where the operator changed it. */
export function houseSeverity(code: number): Severity | undefined {
  return houseSpec()?.severities[code];
}

/** `over` upon `base`: objects key by key, everything else as a whole. */
export function overlaid<T extends object>(base: T, over: object | undefined): T {
  if (over === undefined) return base;
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isRecord(below) && isRecord(value) ? overlaid(below, value) : value;
  }
  // The schema of the file admits only values of the types that they replace.
  return merged as T;
}

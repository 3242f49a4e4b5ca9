/**
 * Parameter types. Each accepts every form that clients of the Graph conventions send (JSON values, JSON text, loose
 * JSON, bracket keys, comma lists, digits as text) and normalizes it. The error text completes "Param X must be …".
 */
import { z } from 'zod';
import { isObject, isRecord } from '../../lib/objects.js';
import { parseLooseJson } from './loose-json.js';

const must = (what: string) => ({ error: () => what });

export const text = (options: { max?: number } = {}) => {
  const max = options.max ?? 65_536;
  return z.preprocess(scalarText, z.string(must('a string')).max(max, must(`at most ${max} characters long`)));
};

/** A numeric id, or `{object}_{number}` of comments. A string, since ids exceed the safe integers. */
export const id = () =>
  z.preprocess(
    (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value),
    z.string(must('an id')).regex(/^\d{1,20}(_\d{1,20})*$/, must('an id')),
  );

export const bool = () => z.preprocess(toBoolean, z.boolean(must('a boolean (true, false, 1 or 0)')));

export const int = (options: { min?: number; max?: number } = {}) => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const what =
    options.min === undefined && options.max === undefined
      ? 'an integer'
      : options.max === undefined
        ? `an integer greater than or equal to ${min}`
        : `an integer from ${min} to ${max}`;
  return z.preprocess(toNumber, z.number(must(what)).int(must(what)).min(min, must(what)).max(max, must(what)));
};

/** One of the values, case-insensitive. */
export const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.preprocess(
    (value) => {
      if (typeof value !== 'string') return value;
      const wanted = value.trim().toLowerCase();
      return values.find((each) => each.toLowerCase() === wanted) ?? value;
    },
    z.enum(values, {
      error: ({ input }) =>
        `one of {${values.join(', ')}} - got ${isObject(input) ? 'an object' : `"${String(input).slice(0, 60)}"`}.`,
    }),
  );

/**
 * Unix seconds, ISO 8601, `YYYY-MM-DD`, or a word (now, today, yesterday, tomorrow). Yields milliseconds since 1970.
 */
export const time = () => z.preprocess(toTimeMs, z.number(must('a time (unix seconds or ISO 8601)')));

export const list = <S extends z.ZodType>(item: S, options: { max?: number } = {}) => {
  const max = options.max ?? 1000;
  return z.preprocess(toList, z.array(item, must('a list')).max(max, must(`a list of at most ${max}`)));
};

export const object = <S extends z.ZodRawShape>(shape: S) => z.preprocess(toRecord, z.object(shape, must('an object')));

/** An object with arbitrary keys. */
export const record = () => z.preprocess(toRecord, z.record(z.string(), z.json(), must('an object')));

/** Any JSON value, unchanged. */
export const json = () => z.preprocess(toJson, z.json());

// ---------------------------------------------------------------- coercions

/** `String` of an object without a prototype throws. */
function scalarText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function toBoolean(value: unknown): unknown {
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  return value;
}

function toNumber(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*-?\d+(\.\d+)?\s*$/.test(value)) return value;
  return Number(value);
}

function toJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const parsed = parseLooseJson(value);
  return parsed === undefined ? value : parsed;
}

function toRecord(value: unknown): unknown {
  return typeof value === 'string' && value.trimStart().startsWith('{') ? toJson(value) : value;
}

/** Arrays; JSON text of one; `a,b`; `{0: a, 1: b}` from bracket keys; a bare scalar is a list of one. */
export function toList(value: unknown): unknown {
  if (typeof value === 'string') {
    const trimmed = value.trim();
    if (trimmed === '') return [];
    if (trimmed.startsWith('[')) return toJson(trimmed);
    if (trimmed.startsWith('{')) return [toJson(trimmed)];
    return trimmed.split(',').map((part) => part.trim());
  }
  if (typeof value === 'number' || typeof value === 'boolean') return [value];
  if (isRecord(value)) {
    const keys = Object.keys(value);
    if (keys.length > 0 && keys.every((key) => /^\d{1,4}$/.test(key))) {
      return keys.sort((a, b) => Number(a) - Number(b)).map((key) => value[key]);
    }
  }
  return value;
}

const DAY_MS = 86_400_000;
const DAY_WORDS = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);

/** Handles absolute times only: relative words need the time of the request and are resolved by `resolveTimeWord`. */
function toTimeMs(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1000) : value;
  if (typeof value !== 'string') return value;
  const trimmed = value.trim();
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  // Date.parse accepts other formats, but their meaning depends on the platform.
  if (/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/.test(trimmed)) {
    const iso = trimmed
      .replace(' ', 'T')
      .replace(/\s+/g, '')
      .replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
    const zoned = /T/.test(iso) && !/(Z|[+-]\d{2}:\d{2})$/.test(iso) ? `${iso}Z` : iso;
    const at = Date.parse(zoned);
    return Number.isNaN(at) || !isDate(trimmed.slice(0, 10)) ? value : at;
  }
  return value;
}

/** `Date.parse` takes February 30 for March 2. */
function isDate(date: string): boolean {
  return new Date(`${date}T00:00Z`).toISOString().startsWith(date);
}

/**
 * Resolves `today`, `yesterday` and `tomorrow` to midnight UTC, and `now` and `-3 days` to instants, relative to
 * `nowMs`.
 */
export function resolveTimeWord(value: unknown, nowMs: number): unknown {
  if (typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  if (word === 'now') return new Date(nowMs).toISOString();
  const days = DAY_WORDS.get(word);
  if (days !== undefined) return new Date(Math.floor(nowMs / DAY_MS) * DAY_MS + days * DAY_MS).toISOString();
  const relative = /^([+-]\d{1,4}) ?(second|minute|hour|day|week)s?$/.exec(word);
  if (relative) {
    const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS }[relative[2] ?? ''];
    return new Date(nowMs + Number(relative[1]) * (unitMs ?? 0)).toISOString();
  }
  return value;
}

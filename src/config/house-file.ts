/** Reads an operator's file of bounds. The names in it are checked against the specification by `cli/input/house-spec.ts`. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { z } from 'zod';
import type { HouseSpec } from '../spec/house.js';
import { houseSchema } from './house-schema.js';

/** The role processes get the content in one environment variable, which Linux limits to 128 KiB. */
const MAX_BYTES = 96 * 1024;
const HASH_DIGITS = 12;
const SHOWN_ISSUES = 5;

/** @throws Error with a message for the operator */
export function readHouseFile(path: string): HouseSpec {
  const text = textOf(path);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = houseSchema.safeParse(content);
  if (!parsed.success) throw new Error(`${path}: ${problems(parsed.error)}`);
  const { name, live = {}, upload = {}, conditions = [], errors = [], tolerances = {} } = parsed.data;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
  return {
    name: `${name ?? basename(path)} (sha256 ${hash})`,
    live,
    upload,
    conditions,
    severities: Object.fromEntries(errors.map((row) => [row.code, row.severity])),
    tolerances: Object.fromEntries(
      Object.entries(tolerances).map(([group, rows]) => [
        group,
        Object.fromEntries(Object.entries(rows).map(([key, { value }]) => [key, value])),
      ]),
    ),
  };
}

function textOf(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES / 1024} KiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new Error(`${path} does not exist`);
    if (code === undefined) throw error;
    throw new Error(`${path} cannot be read (${code})`);
  }
}

function problems(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, SHOWN_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  const more = error.issues.length - lines.length;
  return `${lines.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

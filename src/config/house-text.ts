/** Reads the text of an operator's bounds. The names in it are checked against the specification by `check/house-names.ts`. */
import * as z from 'zod/mini';
import { sha256 } from '../lib/sha256.js';
import type { HouseSpec } from '../spec/house.js';
import { houseSchema } from './house-schema.js';

const HASH_DIGITS = 12;
const SHOWN_ISSUES = 5;

/** `shown` names the text in errors; `name` names it in records where it has no name of its own. @throws Error with a message for the operator */
export function readHouseText(text: string, shown: string, name: string): HouseSpec {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`${shown} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  // Given here, since the locale of the whole process belongs to the program.
  const parsed = houseSchema.safeParse(content, { error: z.locales.en().localeError });
  if (!parsed.success) throw new Error(`${shown}: ${problems(parsed.error)}`);
  const { live = {}, upload = {}, conditions = [], errors = [], tolerances = {} } = parsed.data;
  const hash = sha256(new TextEncoder().encode(text)).slice(0, HASH_DIGITS);
  return {
    name: `${parsed.data.name ?? name} (sha256 ${hash})`,
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

function problems(error: z.core.$ZodError): string {
  const lines = error.issues
    .slice(0, SHOWN_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  const more = error.issues.length - lines.length;
  return `${lines.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

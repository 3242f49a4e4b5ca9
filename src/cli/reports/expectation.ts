/**
 * `--expect FILE`: the exact set of expected codes. A JSON list of codes, or an object with such a list as `errors` (the form
 * of `expected.json` beside a fixture); an entry is a code or an object with a code as `code` or `error_code`.
 */
import { readFileSync } from 'node:fs';
import { fileProblem } from '../../lib/errors.js';
import { isObject } from '../../lib/objects.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { CliError } from '../console/exit.js';

export interface Expectation {
  /** The exact set of expected codes. */
  readonly codes: readonly number[];
}

export interface ExpectationResult {
  readonly met: boolean;
  readonly missing: readonly number[];
  readonly unexpected: readonly number[];
}

/** @throws CliError */
export function readExpectation(path: string, shown: string): Expectation {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    throw new CliError(`${shown} cannot be read${isSyntax ? ` as JSON: ${error.message}` : `: ${fileProblem(error)}`}`);
  }
  const list = Array.isArray(content) ? content : member(content, 'errors');
  if (!Array.isArray(list))
    throw new CliError(`${shown} must contain a list of codes, or an object with such a list as "errors"`);
  return { codes: list.map((entry) => catalogueCodeOf(entry, shown)) };
}

function catalogueCodeOf(entry: unknown, shown: string): number {
  const code = typeof entry === 'number' ? entry : (member(entry, 'code') ?? member(entry, 'error_code'));
  if (typeof code !== 'number' || !CATALOGUE.some((row) => row.code === code)) {
    throw new CliError(`${shown}: ${JSON.stringify(entry)} is not an error code (npx airlock spec lists them)`);
  }
  return code;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && name in value ? Reflect.get(value, name) : undefined;
}

/** Compares codes with the expected set. */
export function compareCodes(
  given: readonly number[],
  expected: Expectation,
  ignored: ReadonlySet<number>,
): ExpectationResult {
  const have = new Set(given.filter((code) => !ignored.has(code)));
  const want = new Set(expected.codes.filter((code) => !ignored.has(code)));
  const missing = [...want].filter((code) => !have.has(code)).sort((a, b) => a - b);
  const unexpected = [...have].filter((code) => !want.has(code)).sort((a, b) => a - b);
  return { met: missing.length === 0 && unexpected.length === 0, missing, unexpected };
}

/** The difference from the expected set as text. */
export function comparison({ missing, unexpected }: ExpectationResult): string {
  return `missing: ${missing.join(' ') || 'none'}; unexpected: ${unexpected.join(' ') || 'none'}`;
}

/**
 * `--expect FILE`: the codes that must be given, no fewer and no more. A JSON list of codes, or an object with such a list as
 * `errors` (the form of `expected.json` beside a fixture); an entry is a code or an object that has one as `code` or `error_code`.
 */
import { readFileSync } from 'node:fs';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { CliError } from '../console/exit.js';
import { whyNot } from '../input/files.js';
import type { Expectation } from './report.js';

/** @throws CliError */
export function readExpectation(path: string, shown: string): Expectation {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    throw new CliError(`${shown} cannot be read${isSyntax ? ` as JSON: ${error.message}` : `: ${whyNot(error)}`}`);
  }
  const list = Array.isArray(content) ? content : member(content, 'errors');
  if (!Array.isArray(list)) throw new CliError(`${shown} holds no list of codes, neither by itself nor as "errors"`);
  return { codes: list.map((entry) => catalogueCodeOf(entry, shown)) };
}

function catalogueCodeOf(entry: unknown, shown: string): number {
  const code = typeof entry === 'number' ? entry : (member(entry, 'code') ?? member(entry, 'error_code'));
  if (typeof code !== 'number' || !CATALOGUE.some((row) => row.code === code)) {
    throw new CliError(`${shown}: ${JSON.stringify(entry)} is no code of the catalogue (airlock spec lists them)`);
  }
  return code;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}

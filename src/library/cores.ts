/** The judge for each specification that a program names: one for the published numbers, and the last ones for own bounds. */
import { readHouseText } from '../config/house-text.js';
import { AirlockError } from './error.js';
import { type Core, instantiate } from './instantiate.js';

/**
 * Bounds over the published ones: the text of a file as `airlock validate --spec FILE.json` takes it, or its content. What it
 * leaves out is as published. Its form is docs/spec.schema.json, its meaning docs/house-spec.md; `SPEC` is one that changes
 * nothing. Records then carry `spec`: the name of the bounds and the first digits of their SHA-256.
 */
export type Bounds = string | object;

/** A megabyte each, made in some 10 ms. */
const MAX_CORES = 8;
/** Equal to the limit of the command line. */
const MAX_SPEC_CHARACTERS = 96 * 1024;

const published = instantiate(undefined);
/** By the text of the bounds, the last used one last. */
const cores = new Map<string, Core>();

/** @throws AirlockError BAD_SPEC */
export function coreFor(bounds: Bounds | undefined): Core {
  if (bounds === undefined) return published;
  const text = textOf(bounds);
  const core = cores.get(text) ?? coreOf(text);
  cores.delete(text);
  cores.set(text, core);
  const [oldest] = cores.keys();
  if (cores.size > MAX_CORES && oldest !== undefined) cores.delete(oldest);
  return core;
}

function textOf(bounds: Bounds): string {
  try {
    // JSON has no functions or symbols: the result may be undefined.
    const text: string | undefined = typeof bounds === 'string' ? bounds : JSON.stringify(bounds);
    if (text === undefined) throw new TypeError('not JSON');
    if (text.length > MAX_SPEC_CHARACTERS) throw new RangeError(`larger than ${MAX_SPEC_CHARACTERS / 1024} KiB`);
    return text;
  } catch (error) {
    throw badSpec(`spec: ${messageOf(error)}`, error);
  }
}

function coreOf(text: string): Core {
  const house = houseOf(text);
  const core = instantiate(house);
  const problems = core.unknownNames(house);
  if (problems.length > 0) throw badSpec(`spec: ${problems.join('; ')}`);
  return core;
}

function houseOf(text: string): ReturnType<typeof readHouseText> {
  try {
    return readHouseText(text, 'spec', 'spec');
  } catch (error) {
    throw badSpec(messageOf(error), error);
  }
}

function badSpec(message: string, cause?: unknown): AirlockError {
  return new AirlockError('BAD_SPEC', message, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

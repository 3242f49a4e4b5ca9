/** Reads an operator's file of bounds. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { HouseSpec } from '../spec/house.js';
import { readHouseText } from './house-text.js';

/** The role processes get the content in one environment variable, which Linux limits to 128 KiB. */
const MAX_BYTES = 96 * 1024;

/** @throws Error with a message for the operator */
export function readHouseFile(path: string): HouseSpec {
  return readHouseText(textOf(path), path, basename(path));
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

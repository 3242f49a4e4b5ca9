/** A file of another container as this program reads it, and as ffmpeg does: their reports are to be equal. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkContainer } from '../../src/check/container-check.js';
import { isLastFrameWhole } from '../../src/cli/validate/cut-off.js';
import { checkOtherContainer } from '../../src/cli/validate/other-container.js';
import { openFile } from '../../src/cli/validate/read-wanted.js';
import { decodePictureNow } from '../../src/probe/sample-decoder.js';
import type { ContainerCase } from './container-cases.js';

const decode = (flv: Uint8Array) => decodePictureNow('ffmpeg', flv);

/** Fields of the report of `path` that differ, each with what ffmpeg's reading and the own one give. */
export async function reportDifferences(path: string): Promise<string[]> {
  const theirs = await checkOtherContainer(path, 'file', { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', decode });
  const source = openFile(path, () => undefined);
  try {
    const ours = await checkContainer(source, 'file', {
      decode,
      isLastFrameWhole: () => isLastFrameWhole(path, 'ffmpeg'),
    });
    return differences(fieldsOf(theirs), fieldsOf(ours));
  } finally {
    source.close();
  }
}

/** Differences of one case. */
export async function caseDifferences({ name, make }: ContainerCase, folder: string): Promise<string[]> {
  const path = join(folder, name);
  make(path, folder);
  try {
    return await reportDifferences(path);
  } finally {
    rmSync(path, { force: true });
  }
}

function differences(theirs: ReadonlyMap<string, unknown>, ours: ReadonlyMap<string, unknown>): string[] {
  const names = new Set([...theirs.keys(), ...ours.keys()]);
  return [...names]
    .filter((name) => theirs.get(name) !== ours.get(name))
    .map((name) => `${name}: ffmpeg ${JSON.stringify(theirs.get(name))}, own ${JSON.stringify(ours.get(name))}`);
}

/** Positions in the file: ffmpeg's reading has those of the FLV that it makes. */
const PLACES = /^bytes$|byteOffset$/;

function fieldsOf(report: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  collect(JSON.parse(JSON.stringify(report ?? null)), '', found);
  return found;
}

function collect(value: unknown, name: string, found: Map<string, unknown>): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) collect(inner, name === '' ? key : `${name}.${key}`, found);
  } else if (!PLACES.test(name)) found.set(name, value);
}

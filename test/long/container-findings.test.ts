/** Files of other containers, read with and without ffmpeg: of all muxers, all fixtures, and recordings of other software. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONTAINER_CASES } from '../support/container-cases.js';
import { caseDifferences, reportDifferences } from '../support/container-findings.js';
import { allFixtures } from '../support/fixtures.js';
import { testByContainers } from '../support/fixtures-by-containers.js';
import { folderOfFile } from '../support/folders.js';

const folder = folderOfFile('airlock-all-findings-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('muxers', () => {
  test.each(CONTAINER_CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    expect(await caseDifferences(one, folder)).toEqual([]);
  });
});

/** Files that differ for a reason that docs/readers.md gives: ffprobe or ffmpeg cannot decode them. */
const UNDECODABLE: ReadonlySet<string> = new Set([
  'aac-usac.mp4',
  'clean-aac-escaped-rate.mp4',
  'clean-nal-length-1.ts',
  'open-gop.ts',
  'pps-absent.ts',
  'sample-aspect-reserved.ts',
  'slices-8.ts',
  'slices-9.ts',
  'surround-program-config.ts',
  'video-10-s-late.ts',
]);

describe('fixtures', () => testByContainers(allFixtures(), folder, UNDECODABLE));

/** Recordings that are not part of the project: a folder named here, or `shared/media` beside it. Absent, they are not tested. */
const MEDIA = process.env.AIRLOCK_TEST_MEDIA ?? join(import.meta.dirname, '../../../shared/media');
/** Their differences: sound that ffprobe cannot decode, implicit HE-AAC, a damaged index, a damaged EBML header. */
const DIFFERENT: Readonly<Record<string, RegExp>> = {
  'xhe-aac-mono.mp4': /^(container|stream\.encoder): /,
  'multi-sps-heaac.ts': /^notes\.1: /,
  'corrupt.mkv': /^problem: /,
  'afl-h264-bad-read.mp4': /./,
};
const recordings = existsSync(MEDIA)
  ? readdirSync(MEDIA, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(mp4|mov|mkv|webm|ts)$/.test(name))
  : [];

if (recordings.length > 0) {
  test.each(recordings)('%s', async (name) => {
    const known = Object.entries(DIFFERENT).find(([end]) => name.endsWith(end))?.[1];
    const found = await reportDifferences(join(MEDIA, name));
    expect(found.filter((line) => known?.test(line) !== true)).toEqual([]);
  });
}

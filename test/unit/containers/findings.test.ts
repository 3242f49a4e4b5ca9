/** A sample of the files whose findings test/long compares with those through ffmpeg. */
import { rmSync } from 'node:fs';
import { CONTAINER_CASES } from '../../support/container-cases.js';
import { caseDifferences } from '../../support/container-findings.js';
import { folderOfFile } from '../../support/folders.js';

const folder = folderOfFile('airlock-findings-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Cuts, HEVC with Opus, B-frames, time stamps that wrap. */
const SAMPLE = ['edited.mp4', 'hevc-opus.mkv', 'bframes.ts', 'wrap.ts'];

test.each(CONTAINER_CASES.filter(({ name }) => SAMPLE.includes(name)).map((one) => [one.name, one] as const))(
  '%s gives the findings that it gives through ffmpeg',
  async (_name, one) => {
    expect(await caseDifferences(one, folder)).toEqual([]);
  },
);

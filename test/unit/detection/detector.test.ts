import { join } from 'node:path';
import { CopyrightDetector } from '../../../src/detection/detector.js';
import { DETECTOR } from '../../../src/detection/limits.js';
import { ReferenceIndex } from '../../../src/detection/reference-index.js';
import { VOLATILE } from '../../../src/ports/index.js';
import { openBlobs } from '../../../src/store/blobs/open.js';
import { WorkFolder } from '../../../src/store/disk/work-folder.js';
import { openStore } from '../../../src/store/open.js';
import { handClock, memoryLog, realClock, temporaryFolderOfFile, until } from '../../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

const notRun = () => Promise.reject(new Error('not run'));
/** An ffmpeg without the chromaprint muxer. */
const PRINTS = {
  isAvailable: async () => false,
  print: notRun,
  sample: notRun,
  clip: notRun,
  pictures: notRun,
  kept: 0,
  share: 0.25,
  hasRoom: true,
};

test('the last state of a detector that rests outlives the one that a killed process leaves', async () => {
  const log = memoryLog();
  const clock = handClock();
  const store = await openStore({ dataDir: folder.path, log, clock });
  const blobs = await openBlobs({ dataDir: folder.path, s3: undefined, nowMs: realClock.wallMs() });
  const work = await WorkFolder.open(join(folder.path, 'work'));
  const references = new ReferenceIndex({ store, blobs, log });
  const detector = new CopyrightDetector({ store, blobs, work, clock, log, prints: PRINTS, references });
  const state = () => store.volatile.get(VOLATILE.copyrightDetector);
  detector.start();
  await until(async () => (await state()) !== undefined);
  clock.advance(DETECTOR.stateLifeMs + 1);
  expect(await state()).toBeUndefined();
  await detector.rest();
  clock.advance(100 * DETECTOR.stateLifeMs);
  expect(await state()).toMatchObject({ state: 'unavailable', references: 0 });
  await store.close();
});

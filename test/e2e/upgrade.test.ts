/**
 * A data folder that the version before left when it was killed (recorded by scripts/left-data.mjs) is served by this one. `test/long` has
 * both versions' servers, both stores, and the way back.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HEARTBEAT_STALE_MS } from '../../src/store/shared/process-identity.js';
import { Airlock } from '../support/airlock.js';
import { expectKept, expectPushedAreStored, KEY_SECRET, type Left } from '../support/left-data.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const RECORDED = join(import.meta.dirname, '../fixtures/left-data');
const CLOCK = pathToFileURL(join(import.meta.dirname, '../support/clock-file.mjs')).href;
const left: Left & { readonly atMs: number } = JSON.parse(readFileSync(join(RECORDED, 'left.json'), 'utf8'));

const folder = temporaryFolderOfFile();
let airlock: Airlock;
beforeAll(async () => {
  execFileSync('tar', ['-xzf', join(RECORDED, 'data.tar.gz'), '-C', folder.path]);
  // Records are kept for 90 days. The processes that left the folder belong to another start of the machine: they are dead once
  // their heartbeat is stale.
  const off = join(folder.path, 'off');
  writeFileSync(off, String(left.atMs + HEARTBEAT_STALE_MS + 10_000 - Date.now()));
  const clock = { NODE_OPTIONS: `--import=${CLOCK}`, CLOCK_FILE: off };
  airlock = await Airlock.start({ AIRLOCK_KEY_SECRET: KEY_SECRET, ...clock }, folder.path);
});
afterAll(async () => {
  await airlock?.stop();
  folder.remove();
});

test('finished broadcasts read as before, and the running one ends with its records and its recording', async () => {
  await expectKept(airlock, left);
  expect((await airlock.get(`/${left.running.id}`, { fields: 'status' })).status).toBe('LIVE');
  await airlock.post(`/${left.running.id}`, { end_live_video: 'true' });
  const { video } = await airlock.until(
    () => airlock.get(`/${left.running.id}`, { fields: 'status,video{length}' }),
    (body) => body.status === 'VOD' && body.video?.length > 0,
  );
  expect(video.length).toBeGreaterThan(5);
  await expectPushedAreStored(airlock, left);
  expect(airlock.log).not.toContain('"level":"error"');
});

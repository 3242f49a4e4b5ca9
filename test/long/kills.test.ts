/** What `test/faults/kill` and `test/faults/upload` expect of one or two kills, for many. */
import { serversOfEachTest } from '../support/airlock.js';
import { expectKeptAcrossKills } from '../support/kills.js';
import { expectUploadSurvivesKills } from '../support/upload-kills.js';

const server = serversOfEachTest();

test('keeps every pushed record exactly once across ten kills', async () => {
  await expectKeptAcrossKills(await server({ AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'warn' }), 10);
}, 400_000);

test('a large upload survives six kills byte for byte, in little memory', async () => {
  await expectUploadSurvivesKills(await server({ AIRLOCK_LOG_LEVEL: 'warn' }), 6);
}, 400_000);

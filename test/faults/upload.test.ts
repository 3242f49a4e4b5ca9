/** kill -9 of the server during a large upload: the client resumes at the offset that the server returns. `test/long` has more. */

import { serversOfEachTest } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { expectUploadSurvivesKills } from '../support/upload-kills.js';

const server = serversOfEachTest();

inFull('a large upload survives random kill -9 byte for byte, in little memory', async () => {
  await expectUploadSurvivesKills(await server({ AIRLOCK_LOG_LEVEL: 'warn' }), 1);
});

/** Each role runs with its flags of V8, however the server is started. */

import { V8_FLAGS } from '../../src/server/system/v8-flags.js';
import { serversOfEachTest } from '../support/airlock.js';

const start = serversOfEachTest();

/** The flags of each role's process, by its own log line. */
function flagsOf(log: string): Readonly<Record<string, readonly string[]>> {
  const lines = log.split('\n').filter((line) => line.includes('role process starts'));
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ role, flags }) => [role, flags]));
}

test('each role has its flags when the server is started with none', async () => {
  const airlock = await start({ AIRLOCK_LOG_LEVEL: 'debug' });
  expect(flagsOf(airlock.log)).toEqual(V8_FLAGS);
  expect(await airlock.kill('SIGTERM')).toBe(0);
});

test('a flag that the operator gave another value keeps it in every role', async () => {
  const airlock = await start({ AIRLOCK_LOG_LEVEL: 'debug', NODE_OPTIONS: '--max-semi-space-size=16' });
  const own = (flag: string) => !flag.startsWith('--max-semi-space-size');
  for (const [role, flags] of Object.entries(V8_FLAGS)) {
    expect(flagsOf(airlock.log)[role]).toEqual(flags.filter(own));
  }
});

/** Each role runs with its flags of V8, however the server is started, and with the code that V8 made for them in the build. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { V8_FLAGS } from '../../src/server/system/v8-flags.js';
import { MAIN, serversOfEachTest } from '../support/airlock.js';

const start = serversOfEachTest();

/** The flags of each role's process, by its own log line. */
function flagsOf(log: string): Readonly<Record<string, readonly string[]>> {
  const lines = log.split('\n').filter((line) => line.includes('role process starts'));
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ role, flags }) => [role, flags]));
}

/** With 0 the media process starts with the server. */
const ALL = { AIRLOCK_LOG_LEVEL: 'debug', AIRLOCK_MEDIA_IDLE_S: '0' };
/** The process of forwards starts with the first forward, with its flags from the same table (`test/e2e/forwards.test.ts`). */
const { forward: _onDemand, ...AT_START } = V8_FLAGS;

test('each role has its flags when the server is started with none', async () => {
  const airlock = await start(ALL);
  expect(flagsOf(airlock.log)).toEqual(AT_START);
  expect(await airlock.kill('SIGTERM')).toBe(0);
});

test('a flag that the operator gave another value keeps it in every role', async () => {
  const airlock = await start({ ...ALL, NODE_OPTIONS: '--max-semi-space-size=16' });
  const own = (flag: string) => !flag.startsWith('--max-semi-space-size');
  for (const [role, flags] of Object.entries(AT_START)) {
    expect(flagsOf(airlock.log)[role]).toEqual(flags.filter(own));
  }
});

/** The second word of V8's code is a hash of its version. */
const versionOf = (code: Buffer) => code.readUInt32LE(4);

const PROCESSES = { ...V8_FLAGS, command: [] };

test.each(Object.entries(PROCESSES))('V8 takes the code of the build in a process of %s', async (name, flags) => {
  const dist = dirname(MAIN);
  const [file, load] =
    name === 'command' ? ['program.cjs', 'loadQuickCommands()'] : ['role.cjs', `loadRole('${name}')`];
  const script = `
    const { Bundle } = await import('${dist}/server/system/bundle.js');
    const bundle = new Bundle('${dist}/server/bundle', '${name}');
    await bundle.load('${file}').${load};
    const rejected = [...bundle.scripts].map(([file, script]) => [file, script.cachedDataRejected ?? 'no code']);
    console.log(JSON.stringify({ rejected, code: bundle.codeFile('${file}') }));
    process.exit();
  `;
  const args = [...flags, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { rejected, code } = JSON.parse(stdout) as { rejected: [string, unknown][]; code: string };
  // Tests of other versions of Node run the build of one.
  const isOfThisV8 = versionOf(readFileSync(code)) === versionOf(new Script('').createCachedData());
  expect(rejected.filter(([, isRejected]) => isRejected !== !isOfThisV8)).toEqual([]);
  expect(rejected.length).toBeGreaterThan(5);
  expect(readFileSync(code).includes('dist.next')).toBe(false);
});

/**
 * Records test/fixtures/left-data: the data folder of a server of the version before that was killed while it received a stream, and
 * what a later version must find in it. Its clock is 300 days back, so that no clock on which the test runs is before it:
 *
 *   node --import ./test/support/typescript-loader.mjs scripts/left-data.mjs
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Airlock } from '../test/support/airlock.js';
import { KEY_SECRET, leave, WebhookReceiver } from '../test/support/left-data.js';
import { buildPreviousVersion } from '../test/support/previous-version.js';

const AGO_MS = 300 * 86_400_000;
const ROOT = join(import.meta.dirname, '..');
const TO = join(ROOT, 'test/fixtures/left-data');
/** Sockets, and unfinished files of the processes that were killed. */
const LEFT_OUT = ['*.sock', 'lock.mdb', 'samples', 'previews', 'tools', 'work', 'parts'];

const folder = mkdtempSync(join(tmpdir(), 'airlock-left-'));
const clock = join(folder, 'off');
writeFileSync(clock, String(-AGO_MS));
const preload = pathToFileURL(join(ROOT, 'test/support/clock-file.mjs')).href;
const receiver = await WebhookReceiver.start();
const airlock = await Airlock.start(
  {
    NODE_OPTIONS: `--import=${preload}`,
    CLOCK_FILE: clock,
    AIRLOCK_KEY_SECRET: KEY_SECRET,
    AIRLOCK_WEBHOOK_URL: receiver.url,
  },
  join(folder, 'server'),
  [],
  buildPreviousVersion(join(folder, 'previous')),
);
const left = await leave(airlock, () => process.kill(airlock.pidOf('store'), 'SIGSTOP'));
const atMs = Date.now() - AGO_MS;
mkdirSync(TO, { recursive: true });
writeFileSync(join(TO, 'left.json'), `${JSON.stringify({ ...left, upload: undefined, atMs }, null, 2)}\n`);
const parameters = [...LEFT_OUT.map((name) => `--exclude=${name}`), `--mtime=@${Math.floor(atMs / 1_000)}`];
execFileSync('tar', ['-cf', join(folder, 'data.tar'), ...parameters, '-C', airlock.folder, 'data'], {
  stdio: 'inherit',
});
execFileSync('gzip', ['-9n', join(folder, 'data.tar')]);
execFileSync('cp', [join(folder, 'data.tar.gz'), TO]);
await receiver.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);

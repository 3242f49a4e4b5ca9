/** The log cannot be written, or is not read. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../src/lib/errors.js';
import { Airlock, MAIN } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { SmallDisk } from '../support/small-disk.js';
import { until } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';

const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const toFile = (path: string) => ['sh', '-c', 'exec "$@" 2>> "$0"', path];

async function dropped(airlock: Airlock): Promise<number> {
  const text = await (await fetch(`${airlock.quickstart.http_url}/metrics`)).text();
  return Number(/^airlock_log_lines_dropped_total (\S+)$/m.exec(text)?.[1]);
}

/** A pipe whose reader reads nothing, filled to the brim. */
function fullPipe(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096));
  } catch (error) {
    expect(codeOf(error)).toBe('EAGAIN');
  }
  return path;
}

test('goes on while the disk of its log is full, counts the lines, and tells of them once there is room', async () => {
  const disk = await SmallDisk.mount(16_384);
  const path = join(disk.folder, 'log');
  const airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'debug' }, undefined, toFile(path));
  try {
    const live = await airlock.createLive();
    const publisher = await Publisher.open(airlock, live.key);
    const sending = publisher.send(paced(synthStream({ durationMs: 3_000, ...small })));
    await airlock.until(async () => {
      for (let count = 0; count < 5; count++) (await Publisher.open(airlock, 'no-key')).cut();
      return dropped(airlock);
    }, Boolean);
    expect((await airlock.request('GET', '/healthz')).status).toBe(200);
    await sending;
    expect(publisher.closed).toBe(false);
    const other = await Publisher.open(airlock, (await airlock.createLive()).key);
    expect(other.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });

    const lost = await dropped(airlock);
    truncateSync(path);
    const notice = 'log lines were dropped: they could not be written';
    await airlock.until(
      async () => readFileSync(path, 'utf8'),
      (text) => text.includes(notice),
    );
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1).filter(Boolean);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === notice);
    expect(told[0]).toMatchObject({ level: 'warn', code: 'ENOSPC', lines: expect.any(Number) });
    expect(lost).toBeGreaterThan(0);
    await Promise.all([publisher.stop(), other.stop()]);
    expect(await airlock.kill('SIGTERM')).toBe(0);
  } finally {
    await airlock.stop();
    await disk.unmount();
  }
});

inFull('receives, answers and ends while the pipe of its log is not read', async () => {
  const airlock = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'debug' }, undefined, toFile(fullPipe('log')));
  try {
    const live = await airlock.createLive();
    const publisher = await Publisher.open(airlock, live.key);
    await publisher.send(paced(synthStream({ durationMs: 1_000, ...small })));
    expect((await airlock.request('GET', '/healthz')).status).toBe(200);
    expect(publisher.closed).toBe(false);
    await publisher.stop();
    expect(await airlock.kill('SIGTERM')).toBe(0);
  } finally {
    await airlock.stop();
  }
});

test.each(['/dev/full', 'a pipe that is not read'])(
  'starts, answers and ends with both outputs on %s',
  async (target) => {
    const path = target.startsWith('/') ? target : fullPipe('both');
    const home = join(folder, `home-${path.replaceAll('/', '-')}`);
    const server: ChildProcess = spawn('sh', ['-c', 'exec "$@" >> "$0" 2>&1', path, process.execPath, MAIN, 'serve'], {
      stdio: 'ignore',
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        AIRLOCK_DATA_DIR: join(home, 'data'),
        AIRLOCK_CERTS_DIR: join(home, 'certs'),
        AIRLOCK_RTMPS_PORT: '0',
        AIRLOCK_HTTP_PORT: '0',
        AIRLOCK_LOG_LEVEL: 'debug',
      },
    });
    const exited = once(server, 'exit');
    try {
      const quickstart = join(home, 'data', 'quickstart.json');
      await until(() => existsSync(quickstart));
      const { http_url: address } = JSON.parse(readFileSync(quickstart, 'utf8'));
      await until(async () => (await fetch(`${address}/readyz`)).status === 200);
      const metrics = await (await fetch(`${address}/metrics`)).text();
      expect(metrics).toMatch(/^airlock_log_lines_dropped_total \d+$/m);
      server.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  },
);

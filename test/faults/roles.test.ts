/** A process of one role fails; a paced publisher, pushes and records of the others do not notice. `test/long` has more faults. */

import { Airlock } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { INSPECTABLE, runInside } from '../support/inspected.js';
import { Publisher } from '../support/publisher.js';
import {
  expectStoreReplaced,
  expectWebAndMediaReplaced,
  FAULTS,
  faulty,
  replaced,
  VIOLATION,
} from '../support/role-faults.js';

/** One server for all tests; the one that kills the supervisor is the last. */
let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({
    ...INSPECTABLE,
    AIRLOCK_PROBE_PORT: '0',
    AIRLOCK_LOG_LEVEL: 'info',
    AIRLOCK_MEDIA_IDLE_S: '0',
  });
});
afterAll(() => airlock.stop());

test.each(FAULTS)('web and media each replaced when one %s: no packet, push or record is lost', (_name, fail) =>
  expectWebAndMediaReplaced(airlock, fail),
);

inFull('the store process is replaced when it is killed: pushes go on and their records are there afterwards', () =>
  expectStoreReplaced(airlock, 'SIGKILL'),
);

test('the ingest process is killed: its encoders return to the same broadcast at once, and the interface answers on', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(faulty()).catch(() => undefined);
  const pushed = await publisher.status(VIOLATION);
  const pid = airlock.pidOf('ingest');
  process.kill(pid, 'SIGKILL');
  await publisher.until(() => publisher.closed);
  await sending;
  // Accepted by the supervisor and held until the next process is ready: no connection is refused.
  const again = await airlock.until(
    () => Publisher.open(airlock, live.key),
    (opened) => opened.statuses[0]?.code === 'NetStream.Publish.Start',
  );
  expect((await airlock.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
  await again.stop();
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.length >= 2,
  );
  expect(rows.filter((row) => row.error_code === 6208).map((row) => row.id)).toEqual([pushed.fields.id]);
});

test('/healthz on the probe port answers while the web process is stopped, and /readyz says that it does not', async () => {
  const port = /"port":(\d+),"msg":"probes are answered"/.exec(airlock.log)?.[1];
  const probe = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
  expect([(await probe('/readyz')).status, (await probe('/metrics')).status]).toEqual([200, 200]);
  const forwarded = [
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=x' },
    { via: '1.1 x' },
    { 'x-real-ip': '::1' },
  ];
  for (const headers of forwarded) expect((await probe('/metrics', headers)).status).toBe(401);
  expect(await (await probe('/readyz?role=media')).json()).toMatchObject({ status: 'ok', checks: { media: 'ok' } });
  expect((await probe('/readyz?role=none')).status).toBe(503);
  const pid = airlock.pidOf('web');
  process.kill(pid, 'SIGSTOP');
  expect([(await probe('/healthz')).status, (await probe('/readyz')).status]).toEqual([200, 503]);
  expect((await probe('/readyz?role=ingest')).status).toBe(200);
  await replaced(airlock, 'web', pid);
  expect((await probe('/readyz')).status).toBe(200);
});

inFull('every probe of streams fails while the ingest process is stopped, until it is replaced', async () => {
  const port = /"port":(\d+),"msg":"probes are answered"/.exec(airlock.log)?.[1];
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  const paths = ['/healthz', '/readyz', '/readyz?role=ingest', '/readyz?role=ingest&unready=404'];
  const pid = airlock.pidOf('ingest');
  process.kill(pid, 'SIGSTOP');
  // A probe that asked just before may have its answer still.
  await airlock.until(
    () => Promise.all(paths.map(status)),
    (found) => found.every((code) => code === 503),
  );
  await replaced(airlock, 'ingest', pid);
  expect(await Promise.all(paths.map(status))).toEqual(paths.map(() => 200));
});

test.each([
  ['rejection', 'unhandledRejection', 'Promise.reject(new Error("planted rejection"))'],
  ['exception', 'uncaughtException', 'throw new Error("planted exception")'],
])(
  'an unhandled %s ends the web process with one line of the log, and another one is started',
  async (name, origin, fault) => {
    const pid = airlock.pidOf('web');
    await runInside(airlock, pid, fault);
    await replaced(airlock, 'web', pid);
    const said = airlock.log.split('\n').filter((line) => line.includes(`planted ${name}`));
    expect(said.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'error',
        role: 'web',
        origin,
        error: expect.objectContaining({ message: `planted ${name}`, stack: expect.any(String) }),
        msg: 'a fault that nothing handled ends the process',
      }),
    ]);
  },
);

test('the supervisor is killed: its roles end, a stopped one as soon as it goes on, and a new start is not blocked', async () => {
  const live = await airlock.createLive();
  const roles = airlock.pids.slice(1);
  expect(roles.length).toBeGreaterThanOrEqual(4);
  const stopped = airlock.pidOf('ingest');
  process.kill(stopped, 'SIGSTOP');
  process.kill(airlock.pid, 'SIGKILL');
  await airlock.until(
    async () => roles.filter(isRunning),
    (left) => left.every((pid) => pid === stopped),
  );
  await airlock.restart();
  expect((await airlock.get(`/${live.id}`)).id).toBe(live.id);
  expect(isRunning(stopped)).toBe(true);
  process.kill(stopped, 'SIGCONT');
  await airlock.until(
    async () => isRunning(stopped),
    (runs) => !runs,
  );
  expect((await Publisher.open(airlock, live.key)).statuses[0]?.code).toBe('NetStream.Publish.Start');
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

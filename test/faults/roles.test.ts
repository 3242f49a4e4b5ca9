/** A process of one role fails; a paced publisher, pushes and records of the others do not notice. */
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { INSPECTABLE, runInside } from '../support/inspected.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

/** One server for all tests; the one that kills the supervisor is the last. */
let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ ...INSPECTABLE, AIRLOCK_PROBE_PORT: '0', AIRLOCK_LOG_LEVEL: 'info' });
});
afterAll(() => airlock.stop());

const VIOLATION = 'NetStream.Publish.Violation';
const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };
type Role = 'store' | 'ingest' | 'web' | 'media';

/** Key frames 6 s apart: 6208 is due after 4 s. */
const faulty = () => paced(synthStream({ ...SMALL, durationMs: 30_000, keyFrameIntervalMs: 6_000 }));

/** Waits until another process has the role and the server is ready. */
async function replaced(airlock: Airlock, role: Role, pid: number): Promise<void> {
  await airlock.until(
    async () => airlock.pidsOf(role),
    (pids) => pids.length === 1 && !pids.includes(pid),
  );
  await airlock.until(
    () => readiness(airlock),
    (body) => body.checks?.[role] === 'ok',
  );
}

async function readiness(airlock: Airlock): Promise<{ checks?: Record<string, string> }> {
  try {
    return (await airlock.request('GET', '/readyz')).body;
  } catch {
    // The connection was that of a process that has just ended.
    return {};
  }
}

const FAULTS: readonly [string, (airlock: Airlock, pid: number) => Promise<void>][] = [
  ['is killed', async (_airlock, pid) => void process.kill(pid, 'SIGKILL')],
  ['is stopped', async (_airlock, pid) => void process.kill(pid, 'SIGSTOP')],
  [
    'blocks its loop',
    (airlock, pid) => runInside(airlock, pid, 'for (const end = Date.now() + 60000; Date.now() < end; );'),
  ],
  [
    'fills its heap',
    (airlock, pid) => runInside(airlock, pid, 'for (const all = []; ; ) all.push(new Array(1e5).fill(1));'),
  ],
];

test.each(FAULTS)('web and media each replaced when one %s: no packet, push or record is lost', async (_name, fail) => {
  const bystander = await Bystander.start(airlock);
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(faulty()).catch(() => undefined);
  const web = airlock.pidOf('web');
  const media = airlock.pidOf('media');
  // A write is under way when the web process fails.
  const write = airlock.request('POST', `/${live.id}`, { title: 'while it fails' }).catch(() => undefined);
  await fail(airlock, web);
  await fail(airlock, media);
  const pushed = await publisher.status(VIOLATION);
  await Promise.all([replaced(airlock, 'web', web), replaced(airlock, 'media', media), write]);
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.length > 0,
  );
  expect(rows[0]).toMatchObject({ error_code: 6208, id: pushed.fields.id });
  expect(publisher.closed).toBe(false);
  publisher.cut();
  await sending;
  await expectUntouched(bystander);
});

test.each([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
] as const)(
  'the store process is replaced when it is %s: pushes go on and their records are there afterwards',
  async (_name, signal) => {
    const bystander = await Bystander.start(airlock);
    const live = await airlock.createLive();
    const publisher = await Publisher.open(airlock, live.key);
    const sending = publisher.send(faulty()).catch(() => undefined);
    const pid = airlock.pidOf('store');
    process.kill(pid, signal);
    const pushed = await publisher.status(VIOLATION);
    await replaced(airlock, 'store', pid);
    const rows = await airlock.until(
      () => airlock.errors(live.id),
      (found) => found.length > 0,
    );
    expect(rows.map((row) => row.id)).toEqual([pushed.fields.id]);
    expect((await airlock.request('POST', `/${live.id}`, { title: 'after' })).status).toBe(200);
    publisher.cut();
    await sending;
    await expectUntouched(bystander);
  },
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
  const probe = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect([(await probe('/readyz')).status, (await probe('/metrics')).status]).toEqual([200, 200]);
  expect(await (await probe('/readyz?role=media')).json()).toMatchObject({ status: 'ok', checks: { media: 'ok' } });
  expect((await probe('/readyz?role=none')).status).toBe(503);
  const pid = airlock.pidOf('web');
  process.kill(pid, 'SIGSTOP');
  expect([(await probe('/healthz')).status, (await probe('/readyz')).status]).toEqual([200, 503]);
  await replaced(airlock, 'web', pid);
  expect((await probe('/readyz')).status).toBe(200);
});

test('the supervisor is killed: its roles end, and a new start is not blocked', async () => {
  const live = await airlock.createLive();
  const roles = airlock.pids.slice(1);
  expect(roles.length).toBeGreaterThanOrEqual(4);
  process.kill(airlock.pid, 'SIGKILL');
  await airlock.until(
    async () => roles.filter(isRunning),
    (left) => left.length === 0,
  );
  await airlock.restart();
  expect((await airlock.get(`/${live.id}`)).id).toBe(live.id);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

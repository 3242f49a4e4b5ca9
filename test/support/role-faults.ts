/** Faults of a role's process, and what a paced publisher, pushes and records of the others must not notice of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Airlock } from './airlock.js';
import { Bystander, expectUntouched } from './bystander.js';
import { runInside } from './inspected.js';
import { Publisher, paced } from './publisher.js';
import { synthStream } from './synth-stream.js';

export const VIOLATION = 'NetStream.Publish.Violation';
const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };
type Role = 'store' | 'ingest' | 'web' | 'media';

/** Key frames 6 s apart: 6208 is due after 4 s. */
export const faulty = () => paced(synthStream({ ...SMALL, durationMs: 30_000, keyFrameIntervalMs: 6_000 }));

/** Waits until another process has the role and the server is ready. */
export async function replaced(airlock: Airlock, role: Role, pid: number): Promise<void> {
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

type Fault = (airlock: Airlock, pid: number) => Promise<void>;

export const FAULTS: readonly (readonly [string, Fault])[] = [
  ['is killed', async (_airlock, pid) => void process.kill(pid, 'SIGKILL')],
  ['is stopped', async (_airlock, pid) => void process.kill(pid, 'SIGSTOP')],
];

/** As on a machine with too much work; less than what has the process replaced. */
export async function standStill(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(pid, 'SIGCONT');
}

/** They keep a processor busy until the process is replaced. For `INSPECTABLE` servers. */
export const BUSY_FAULTS: readonly (readonly [string, Fault])[] = [
  [
    'blocks its loop',
    (airlock, pid) => runInside(airlock, pid, 'for (const end = Date.now() + 60000; Date.now() < end; );'),
  ],
  [
    'fills its heap',
    (airlock, pid) => runInside(airlock, pid, 'for (const all = []; ; ) all.push(new Array(1e5).fill(1));'),
  ],
];

/** Both fail while a write is under way. */
export async function expectWebAndMediaReplaced(airlock: Airlock, fail: Fault): Promise<void> {
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
}

/** Pushes go on meanwhile, and their records are there afterwards. */
export async function expectStoreReplaced(airlock: Airlock, signal: NodeJS.Signals): Promise<void> {
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
}

/**
 * The machine that receives a broadcast dies, stands still or is cut off: the encoder's next try, at another machine, is held
 * and accepted, never refused. Network namespaces, so root; Redis under Sentinel. Prints how long each try took.
 */
import { ChaosSite, notices } from '../support/chaos.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };

let site: ChaosSite;
beforeAll(async () => {
  site = await ChaosSite.start(2, { AIRLOCK_RECORD: 'off' });
});
afterAll(() => site.stop());

const signalAll = (pids: readonly number[], name: NodeJS.Signals) => {
  for (const pid of pids) process.kill(pid, name);
};

const open = (at: number, key: string) => {
  const { address } = site.network.machines[at]!;
  const header = Buffer.from(`PROXY TCP4 198.51.100.${7 + at} ${address} 51234 1936\r\n`);
  return Publisher.open(site.servers[at]!, key, 'live', {
    host: address,
    port: 1936,
    preface: header,
    authorityFile: site.authorityFile,
  });
};

const stream = (seconds: number) => paced(synthStream({ ...SMALL, durationMs: 1_000 * seconds, channels: 1 }));

/** Publishes to the first machine, then to the second one after a fault; resolves with both publishers and the time of the wait. */
async function takenOver(fault: () => Promise<void> | void) {
  const [first, second] = site.servers;
  const live = await second!.createLive();
  const old = await open(0, live.key);
  const sendingOld = old.send(stream(120));
  await old.status('NetStream.Publish.Violation');
  await fault();
  await notices();
  const startedMs = performance.now();
  const next = await open(1, live.key);
  const waitedMs = performance.now() - startedMs;
  process.stdout.write(`${expect.getState().currentTestName}: ${(waitedMs / 1_000).toFixed(2)} s\n`);
  expect(next.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  const sendingNew = next.send(stream(6));
  return { first: first!, second: second!, live, old, next, done: () => Promise.all([sendingOld, sendingNew]) };
}

type Taken = Awaited<ReturnType<typeof takenOver>>;

/** The old holder is back, and has written nothing: the records have no gap, and the new publisher is not disturbed. */
async function staysTaken({ second, live, old, next, done }: Taken): Promise<void> {
  await old.until(() => old.closed);
  await done();
  expect(next.closed).toBe(false);
  await next.stop();
  const rows = (await second.errors(live.id)).reverse();
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, at) => at + 1));
  const codes = rows.map(({ error_code }) => error_code);
  expect(codes).toContain(6304);
  expect(codes.filter((code) => [6102, 6203, 6208, 6215].includes(code))).toEqual([]);
  expect((await second.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
}

test('kill -9 of every process', async () => {
  const taken = await takenOver(async () => void (await site.servers[0]!.kill('SIGKILL')));
  await site.servers[0]!.restart();
  await staysTaken(taken);
});

test('SIGSTOP of every process: the old holder closes its connection with the reason when it continues', async () => {
  const { pids } = site.servers[0]!;
  const taken = await takenOver(() => signalAll(pids, 'SIGSTOP'));
  signalAll(pids, 'SIGCONT');
  await taken.old.until(() => taken.old.closed);
  expect(taken.old.statuses.at(-1)).toMatchObject({ level: 'error', description: expect.stringMatching(/another/i) });
  await staysTaken(taken);
});

test('network cut', async () => {
  const [machine] = site.network.machines;
  const taken = await takenOver(() => machine!.cut('stores', 'encoders'));
  taken.old.cut();
  machine!.heal();
  await staysTaken(taken);
});

test('partition from Redis: the old holder closes its connection with the reason when it is back', async () => {
  const [machine] = site.network.machines;
  const taken = await takenOver(() => machine!.cut('stores'));
  machine!.heal();
  await taken.old.until(() => taken.old.closed);
  expect(taken.old.statuses.at(-1)).toMatchObject({ level: 'error', description: expect.stringMatching(/another/i) });
  await staysTaken(taken);
});

test('kill -9 of every process and of the Redis master: the publish is held until Sentinel has promoted the replica', async () => {
  const taken = await takenOver(async () => {
    const { master } = await site.redis.roles();
    await master.kill();
    await site.servers[0]!.kill('SIGKILL');
  });
  await site.servers[0]!.restart();
  await staysTaken(taken);
});

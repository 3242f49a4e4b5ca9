/** Faults of targets and processes that take long to show: each costs what DESIGN says, and the state says so. */
import { readFileSync } from 'node:fs';
import { Airlock } from '../support/airlock.js';
import { expectNeverBack } from '../support/encoder-pair.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { accepts, RtmpTarget, type TakenMessage } from '../support/rtmp-target.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';

/** What waits for one target at most, and what its sockets and the garbage of Node take beside it. */
const FORWARD_BOUND_MB = 64;

let redis: RedisServer;
let first: Airlock;
let second: Airlock;
let rtmp: RtmpTarget;
const publishers: Publisher[] = [];

beforeAll(async () => {
  redis = await RedisServer.start({ durable: true });
  const env = {
    REDIS_URL: redis.url,
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
    // The process that receives is the only one of its role.
    AIRLOCK_WORKERS: '1',
    AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535',
  };
  [first, second] = await Promise.all([Airlock.start(env), Airlock.start(env)]);
}, 60_000);
beforeEach(async () => {
  rtmp = await new RtmpTarget().listen();
});
afterEach(async () => {
  for (const publisher of publishers.splice(0)) publisher.cut();
  await rtmp.close();
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await redis.stop();
}, 60_000);

const media = (messages: readonly TakenMessage[]) => messages.filter(({ kind }) => kind !== 'data');
const isKeyFrame = ({ kind, bytes }: TakenMessage): boolean => kind === 'video' && bytes[0] === 0x17 && bytes[1] === 1;

async function forwarded(airlock = first) {
  const live = await airlock.createLive();
  const { id } = await airlock.post(`/${live.id}/forwards`, { url: rtmp.url(), stream_key: 'abc', name: 'Origin' });
  return { live, id };
}

/** Begins to send in real time; tries again while the key is held. */
async function send(airlock: Airlock, key: string, options: SynthOptions = {}): Promise<void> {
  const publisher = await airlock.until(
    () => Publisher.open(airlock, key).catch(() => undefined),
    (opened) => opened?.statuses[0]?.code === 'NetStream.Publish.Start',
  );
  if (publisher === undefined) return;
  publishers.push(publisher);
  void publisher.send(paced(synthStream({ durationMs: 120_000, ...options })));
}

const stateOf = (airlock: Airlock, id: string, state: string) =>
  airlock.until(
    () => airlock.get(`/${id}`),
    (forward) => forward.state === state,
  );
/** Records that are not of the forward. */
const othersOf = async (airlock: Airlock, id: string) =>
  (await airlock.errorsButPace(id)).map(({ error_code }) => error_code).filter((code) => code < 6511 || code > 6513);
const recordOf = (airlock: Airlock, id: string, code: number) =>
  airlock.until(
    () => airlock.errors(id, { error_code: String(code) }),
    (found) => found.length > 0,
  );

function beginsWhole(messages: readonly TakenMessage[]): void {
  const [video, audio, key] = media(messages);
  expect([video?.kind, audio?.kind, key?.kind]).toEqual(['video', 'audio', 'video']);
  expect(key && isKeyFrame(key)).toBe(true);
}

test('a target that closes after each 3 s gets the beginning of a stream each time, ever later', async () => {
  const openedMs: number[] = [];
  rtmp.manner = (connection, request) => {
    openedMs.push(performance.now());
    accepts(connection, request);
    setTimeout(() => connection.socket.destroy(), 3_000);
  };
  const { live, id } = await forwarded();
  await send(first, live.key);
  await rtmp.until(() => rtmp.connections.length === 4 && media(rtmp.messages).length > 10);
  for (const { messages } of rtmp.connections) {
    beginsWhole(messages);
    expectNeverBack(messages);
  }
  const pausesMs = openedMs.slice(1).map((atMs, at) => atMs - (openedMs[at] ?? 0) - 3_000);
  expect(pausesMs[2]).toBeGreaterThan(1.3 * (pausesMs[1] ?? 0));
  await stateOf(first, id, 'retrying');
  expect((await recordOf(first, live.id, 6512))[0]).toMatchObject({ forward: id });
  expect(await othersOf(first, live.id)).toEqual([]);
}, 90_000);

test('a target that takes a tenth of the stream is behind, gets key frames, and costs no more than its bound', async () => {
  const KBPS = 40_000;
  const chunkMs = 20;
  rtmp.manner = (connection, request) => {
    accepts(connection, request);
    const { socket } = connection;
    let allowed = 0;
    const timer = setInterval(() => {
      allowed += (KBPS / 8 / 10) * chunkMs;
      if (allowed > 0) socket.resume();
    }, chunkMs);
    socket.on('data', (bytes: Buffer) => {
      allowed -= bytes.length;
      if (allowed <= 0) socket.pause();
    });
    socket.once('close', () => clearInterval(timer));
  };
  const { live, id } = await forwarded();
  await send(first, live.key, { videoKbps: KBPS });
  const behind = await stateOf(first, id, 'behind');
  expect(behind.dropped_ms + behind.lag_ms).toBeGreaterThan(1_000);
  expect((await recordOf(first, live.id, 6513))[0]).toMatchObject({ forward: id });
  const gaps = () => {
    const video = rtmp.messages.filter(({ kind }) => kind === 'video');
    return video.flatMap((each, at) => (each.timestampMs - (video[at - 1]?.timestampMs ?? 0) > 500 ? [each] : []));
  };
  await rtmp.until(() => gaps().length > 0);
  expect(gaps().every(isKeyFrame)).toBe(true);
  expect(rtmp.connections).toHaveLength(1);
  expectNeverBack(rtmp.messages);
  const status = readFileSync(`/proc/${first.pidOf('forward')}/status`, 'utf8');
  const peakMb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  expect(peakMb('RssAnon')).toBeLessThan(FORWARD_BOUND_MB + 60);
}, 90_000);

test('the web and media processes end, or stand still, without the target noticing', async () => {
  const { live, id } = await forwarded();
  await send(first, live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  for (const [role, signal] of [
    ['media', 'SIGKILL'],
    ['media', 'SIGSTOP'],
    ['web', 'SIGKILL'],
    ['web', 'SIGSTOP'],
  ] as const) {
    const [pid = 0] = await first.until(
      async () => first.pidsOf(role),
      (pids) => pids.length === 1,
    );
    process.kill(pid, signal);
    const before = media(rtmp.messages).length;
    await rtmp.until(() => media(rtmp.messages).length > before + 200);
    if (signal === 'SIGSTOP') process.kill(pid, 'SIGCONT');
  }
  // The web process may be about to be replaced.
  await first.until(
    () => first.get(`/${id}`).catch(() => undefined),
    (forward) => forward?.state === 'sending',
  );
  expect(rtmp.connections).toHaveLength(1);
  expectNeverBack(rtmp.messages);
  expect(await othersOf(first, live.id)).toEqual([]);
}, 120_000);

test('an ingest process that stands still is one stream to the target when its encoder is back', async () => {
  const { live, id } = await forwarded();
  await send(first, live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  const [pid = 0] = first.pidsOf('ingest');
  process.kill(pid, 'SIGSTOP');
  await first.until(
    async () => first.pidsOf('ingest'),
    (pids) => !pids.includes(pid),
  );
  const before = rtmp.messages.length;
  await send(first, live.key);
  await rtmp.until(() => rtmp.messages.length > before + 50);
  await stateOf(first, id, 'sending');
  expect(rtmp.connections).toHaveLength(1);
  expectNeverBack(rtmp.messages);
}, 90_000);

test('the end of a broadcast is the end of the publish at its target', async () => {
  const { live } = await forwarded();
  await send(first, live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  await first.post(`/${live.id}`, { end_live_video: 'true' });
  await rtmp.until(() => rtmp.connections[0]?.unpublished === 'FCUnpublish');
}, 60_000);

/** The last one: a machine is gone after it. */
test('when a machine is killed, the forward sends from the other one once the encoder is there', async () => {
  const { live, id } = await forwarded();
  await send(first, live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  await first.kill('SIGKILL');
  await rtmp.until(() => rtmp.connections[0]?.isClosed);
  await send(second, live.key);
  const acceptedMs = performance.now();
  await rtmp.until(() => rtmp.connections.length > 1 && media(rtmp.messages).length > 0);
  const waitedMs = performance.now() - acceptedMs;
  beginsWhole(rtmp.messages);
  await stateOf(second, id, 'sending');
  expect(waitedMs).toBeLessThan(5_000);
}, 90_000);

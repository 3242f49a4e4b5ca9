/** Two encoders of one broadcast on two machines with one Redis: what a fault on air costs, between machines and between processes. */
import { execFileSync } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { portOf } from '../../src/lib/sockets.js';
import { Airlock } from '../support/airlock.js';
import {
  AFTER_MS,
  DEAD_MS,
  EncoderPair,
  expectNeverBack,
  expectPlaysThrough,
  KEY_FRAMES_MS,
  SLACK_MS,
} from '../support/encoder-pair.js';
import { RedisServer } from '../support/redis-server.js';
import { RtmpTarget } from '../support/rtmp-target.js';
import { type S3, startS3 } from '../support/s3-server.js';

const SILENT_MOST_MS = AFTER_MS + KEY_FRAMES_MS + SLACK_MS;
const DEAD_MOST_MS = DEAD_MS + KEY_FRAMES_MS + SLACK_MS;

let redis: RedisServer;
let storage: S3;
let first: Airlock;
let second: Airlock;
let target: RtmpTarget;
const encoders: ReturnType<EncoderPair['encode']>[] = [];

beforeAll(async () => {
  redis = await RedisServer.start({ durable: true });
  storage = await startS3();
  const env = {
    REDIS_URL: redis.url,
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
    AIRLOCK_WORKERS: '2',
    AIRLOCK_BACKUP_AFTER_MS: String(AFTER_MS),
    AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535',
    ...storage.env,
  };
  first = await Airlock.start(env);
  second = await Airlock.start(env);
}, 90_000);
beforeEach(async () => {
  target = await new RtmpTarget().listen();
});
afterEach(async () => {
  for (const encoder of encoders.splice(0)) {
    encoder.signal('SIGCONT');
    encoder.kill();
  }
  await target.close();
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await storage.close();
  await redis.stop();
}, 60_000);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function made(): Promise<EncoderPair> {
  const pair = await EncoderPair.create(first);
  await first.post(`/${pair.id}/forwards`, { url: target.url(), stream_key: 'abc', name: 'Origin' });
  return pair;
}

function encode(...options: [pair: EncoderPair, ...rest: Parameters<EncoderPair['encode']>]) {
  const [pair, ...rest] = options;
  const encoder = pair.encode(...rest);
  encoders.push(encoder);
  return encoder;
}

/** Resolves when the target takes the stream over the newest connection, and no other one is open. */
async function forwarded(): Promise<void> {
  const before = target.messages.length;
  const { connections } = target;
  await target.until(
    () =>
      connections.at(-1)?.isClosed === false &&
      connections.slice(0, -1).every(({ isClosed }) => isClosed) &&
      target.messages.length > before + 30,
  );
  for (const { messages } of connections) expectNeverBack(messages);
}

/** Resolves when the preview plays at the machine that receives it. */
async function previewed(pair: EncoderPair, at: Airlock): Promise<void> {
  const viewer = pair.preview(at);
  await viewer.until(() => viewer.frames.length > 30 || viewer.ended);
  expect(viewer.status).toBe(200);
  expectNeverBack(viewer.tags);
  viewer.leave();
}

/** A way to a server that can stop to pass bytes, in both directions and without a close. */
class Way {
  readonly #server: Server;
  readonly #halves = new Set<Socket>();
  #isCut = false;

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#halves.add(from);
        from.on('data', (bytes: Buffer) => void to.write(bytes));
        from.on('error', () => undefined);
        from.on('close', () => {
          this.#halves.delete(from);
          to.destroy();
        });
        if (this.#isCut) from.pause();
      }
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return portOf(this.#server) ?? 0;
  }

  cut(): void {
    this.#isCut = true;
    for (const half of this.#halves) half.pause();
  }

  heal(): void {
    this.#isCut = false;
    for (const half of this.#halves) half.resume();
  }

  close(): void {
    for (const half of this.#halves) half.destroy();
    this.#server.close();
  }
}

/** The ingest processes of a server that have a connection to its port for encoders. */
function receiving({ quickstart }: Airlock, workers: readonly number[]): readonly number[] {
  const found = execFileSync('ss', ['-tnpH', `sport = :${quickstart.rtmps_port}`], { encoding: 'utf8' });
  return workers.filter((pid) => found.includes(`pid=${pid},`));
}

test('silence, a command and a cut network move the air between two machines', async () => {
  const pair = await made();
  const way = new Way(first.quickstart.rtmps_port);
  const port = await way.listen();
  const primary = encode(pair, 0, first, {}, 0, port);
  await pair.onAir(0);
  encode(pair, 1, second, {}, 4_000_000);
  await pair.both();
  await forwarded();

  primary.signal('SIGSTOP');
  await pair.onAir(1);
  const silentMs = await pair.toldGapMs(1);
  await forwarded();
  primary.signal('SIGCONT');
  await pair.both();
  await pair.command(0);
  await pair.onAir(0);
  const commandMs = await pair.toldGapMs(2);
  await forwarded();
  await previewed(pair, first);

  way.cut();
  await pair.onAir(1);
  const cutMs = await pair.toldGapMs(3);
  await forwarded();
  await previewed(pair, second);
  way.heal();
  await pair.both();
  expect((await pair.onAir(1)).map(({ on_air }) => on_air)).toEqual([false, true]);
  say(`gap: SIGSTOP ${silentMs} ms, command ${commandMs} ms, network cut ${cutMs} ms`);
  for (const gapMs of [silentMs, cutMs]) expect(gapMs).toBeLessThan(SILENT_MOST_MS);
  expect(commandMs).toBeLessThan(KEY_FRAMES_MS + SLACK_MS);
  expect(target.connections).toHaveLength(4);

  await expectPlaysThrough(await pair.recorded(), SILENT_MOST_MS);
  const records = await second.errors(pair.id);
  expect(records.map(({ error_code }) => error_code)).not.toContain(6403);
  expect(records.every(({ input_stream }) => input_stream !== undefined)).toBe(true);
  way.close();
}, 180_000);

test('the end of the ingest process on air gives the air to another one of its machine, over the same connection to the target', async () => {
  const pair = await made();
  const workers = first.pidsOf('ingest');
  expect(workers).toHaveLength(2);
  encode(pair, 0);
  await pair.onAir(0);
  const [onAir = 0] = receiving(first, workers);
  // Connections are given to the processes in turn.
  encode(pair, 1, first, {}, 4_000_000);
  await pair.both();
  expect(receiving(first, workers)).toHaveLength(2);
  await forwarded();
  process.kill(onAir, 'SIGKILL');
  await pair.onAir(1);
  const deadMs = await pair.toldGapMs(1);
  await forwarded();
  say(`gap: kill -9 of the ingest process ${deadMs} ms`);
  expect(deadMs).toBeLessThan(DEAD_MOST_MS);
  expect(target.connections).toHaveLength(1);
  encode(pair, 0);
  await pair.both();
  await pair.command(0);
  await pair.onAir(0);
  await forwarded();
  expect(target.connections).toHaveLength(1);
  await expectPlaysThrough(await pair.recorded(), DEAD_MOST_MS);
}, 180_000);

/** The last one: a machine is gone in it. */
test('when the machine on air is killed, the encoder of the other one is on air, and the first stands by when it is back', async () => {
  const pair = await made();
  encode(pair, 0);
  await pair.onAir(0);
  encode(pair, 1, second, {}, 4_000_000);
  await pair.both();
  await forwarded();
  await first.kill('SIGKILL');
  pair.asked = second;
  await pair.onAir(1);
  const deadMs = await pair.toldGapMs(1);
  await forwarded();
  say(`gap: kill -9 of the machine ${deadMs} ms`);
  expect(deadMs).toBeLessThan(DEAD_MOST_MS);
  expect(target.connections).toHaveLength(2);
  await first.restart();
  encode(pair, 0, first);
  await pair.both();
  expect((await pair.onAir(1)).map(({ on_air }) => on_air)).toEqual([false, true]);
  await pair.command(0);
  await pair.onAir(0);
  await forwarded();
  await expectPlaysThrough(await pair.recorded(), DEAD_MOST_MS);
}, 240_000);

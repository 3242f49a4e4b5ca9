// Restarts a real server again and again, publishes at once with a key of before, and prints what each first publish heard:
//   node --import ./test/support/typescript-loader.mjs scripts/restart-race.mjs [--rounds 100] [--seed NUMBER] [--redis]
//
// Needs the built server; with --redis, redis-server. A round draws how the server ends (SIGKILL, SIGTERM), in which state it leaves
// the broadcast (connected, interrupted, ended by its owner), whose key is used (the Page's, the live video's), how long the server
// is away, and when the encoder connects (before the server is ready, or up to 300 ms after). The grace time is a second, so it
// runs out about when the server starts. A publish with the key of the Page must be accepted; one with the key of a live video is
// accepted or hears that the broadcast has ended, and never that the owner ended what the owner did not end. Exits with 1 otherwise.
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Airlock } from '../test/support/airlock.ts';
import { Publisher } from '../test/support/publisher.ts';
import { seededRandom } from '../test/support/random.ts';
import { RedisServer } from '../test/support/redis-server.ts';
import { synthStream } from '../test/support/synth-stream.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    redis: { type: 'boolean', default: false },
  },
});

const random = seededRandom(Number(values.seed));
const among = (list) => list[Math.floor(random() * list.length)];

const ENDS = ['SIGKILL', 'SIGTERM'];
const LEFT = ['connected', 'interrupted', 'ended by its owner'];
const KEYS = ['Page', 'live video'];
const GRACE_S = 1;
/** A start takes about as long as the grace time: with these pauses it runs out before, during and after it. */
const AWAY_MS = [0, 0, 200, 500, 1_000];
const ENDED = 'This broadcast has ended. Create a new live video and use its stream key.';

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The first answer to a publish; tries again while nothing listens. */
async function firstAnswer(key, isOver) {
  for (;;) {
    let publisher;
    try {
      publisher = await Publisher.open(airlock, key);
    } catch (error) {
      if (isOver()) throw error;
    }
    if (publisher?.statuses.length > 0) return publisher;
    publisher?.cut();
    await wait(2);
  }
}

/** The file is written again a moment after the key of the Page has led to a new live video. */
const isLive = (id) =>
  airlock.until(
    () => airlock.get(`/${id ?? airlock.readQuickstart().live_video_id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );

/** A broadcast that is LIVE when its server ends, with the key that its encoder has. */
async function broadcast(whose, left) {
  const live = whose === 'Page' ? undefined : await airlock.createLive();
  const key = live?.key ?? airlock.readQuickstart().stream_key;
  const publisher = await Publisher.open(airlock, key);
  await publisher.send(synthStream({ durationMs: 500 }));
  const { id } = await isLive(live?.id);
  if (left === 'interrupted') publisher.cut();
  if (left === 'ended by its owner') await airlock.post(`/${id}`, { end_live_video: 'true' });
  return { key, publisher };
}

function isGood({ code, description = '' }, whose, left) {
  if (code === 'NetStream.Publish.Start') return true;
  if (whose === 'Page') return false;
  return description === ENDED || (left === 'ended by its owner' && description.includes('ended by its owner'));
}

async function round() {
  const [signal, left, whose, awayMs] = [among(ENDS), among(LEFT), among(KEYS), among(AWAY_MS)];
  const isEarly = random() < 0.5;
  const afterMs = random() * 300;
  const { key, publisher } = await broadcast(whose, left);
  await wait(random() * 100);
  await airlock.kill(signal);
  publisher.cut();
  await wait(awayMs);
  let isOver = false;
  const started = airlock.restart().finally(() => {
    isOver = true;
  });
  if (!isEarly) {
    await started;
    await wait(afterMs);
  }
  const next = await firstAnswer(key, () => isOver);
  await started;
  const [status] = next.statuses;
  await next.stop();
  const what = [signal, left, `key of the ${whose}`, isEarly ? 'before it is ready' : 'after'].join(', ');
  return { what, status, isGood: isGood(status, whose, left) };
}

const redis = values.redis ? await RedisServer.start({ durable: true }) : undefined;
const airlock = await Airlock.start({
  AIRLOCK_RTMPS_PORT: String(await freePort()),
  AIRLOCK_RECONNECT_GRACE_S: String(GRACE_S),
  AIRLOCK_OWNER_MAX_OBJECTS: '0',
  ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
});
console.log(`seed ${values.seed}`);
const heard = new Map();
let faults = 0;
for (let at = 1; at <= Number(values.rounds); at += 1) {
  airlock.log = '';
  const { what, status, isGood: good } = await round();
  const text = `${status.code} ${status.description ?? ''}`;
  const row = heard.get(text) ?? { times: 0, in: new Map() };
  row.times += 1;
  row.in.set(what, (row.in.get(what) ?? 0) + 1);
  heard.set(text, row);
  if (at % 50 === 0) console.log(`${at} restarts`);
  if (good) continue;
  faults += 1;
  console.log(`round ${at}: ${what}: ${text}`);
}
for (const [text, row] of heard) {
  console.log(`${row.times} heard: ${text}`);
  for (const [what, times] of row.in) console.log(`  ${times} ${what}`);
}
console.log(`${values.rounds} restarts, ${faults} publishes heard what is not so`);
await airlock.stop();
await redis?.stop();
process.exitCode = faults > 0 ? 1 : 0;

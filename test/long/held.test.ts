/**
 * An encoder publishes while another sends with the same key, and is held for 4.5 s before the other leaves: the wait raises no
 * record. Real encoders on two servers that share Redis. Prints how long each was held.
 */
import { Airlock } from '../support/airlock.js';
import { ffmpeg, over, source } from '../support/ffmpeg.js';
import { gstreamer } from '../support/gstreamer.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

const HELD_MS = 4_500;
const SECONDS = 16;
const SMALL = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };
/** A refused publish, the declared level, key frame interval and frame rate: what a wait was taken for. */
const OF_A_WAIT = [6102, 6203, 6208, 6215];

let redis: RedisServer;
let first: Airlock;
let second: Airlock;
beforeAll(async () => {
  redis = await RedisServer.start();
  const env = {
    REDIS_URL: redis.url,
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
    AIRLOCK_LOG_FORMAT: 'json',
    // So that each connection has its line.
    AIRLOCK_LOG_LEVEL: 'debug',
  };
  first = await Airlock.start(env);
  second = await Airlock.start(env);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await redis.stop();
});

/** Times of the lines of the second server that contain a text, from its log. */
function timesOf(text: string, from = 0): number[] {
  const lines = second.log.slice(from).split('\n');
  return lines.filter((line) => line.includes(`"${text}"`)).map((line) => new Date(JSON.parse(line).time).getTime());
}

async function holdsFor(name: string, publish: (url: string) => Promise<{ code: number | null }>) {
  const live = await first.createLive();
  const other = await Publisher.open(first, live.key);
  const sending = other.send(paced(synthStream({ ...SMALL, durationMs: 60_000 })));
  const from = second.log.length;
  const done = publish(`${second.quickstart.stream_url_base}${live.key}`);
  const [openedMs = 0] = await second.until(
    async () => timesOf('connection opened', from),
    (times) => times.length > 0,
  );
  await second.until(
    async () => Date.now() - openedMs,
    (waitedMs) => waitedMs >= HELD_MS - 100,
  );
  await other.stop();
  await sending;
  const { code } = await done;
  const [acceptedMs = 0] = timesOf('publish accepted', from);
  const rows = await first.errors(live.id);
  const codes = rows.map(({ error_code }) => error_code);
  process.stdout.write(
    `${name}: held for ${((acceptedMs - openedMs) / 1_000).toFixed(2)} s; records ${codes.join(' ') || 'none'}\n`,
  );
  expect(code).toBe(0);
  expect(acceptedMs - openedMs).toBeGreaterThan(HELD_MS - 500);
  expect(codes.filter((each) => OF_A_WAIT.includes(each))).toEqual([]);
}

test('ffmpeg', async () => {
  await holdsFor('ffmpeg', (url) =>
    ffmpeg([...source({ seconds: SECONDS, size: '640x360', videoKbps: 600 }), ...over(url, second.authorityFile)]),
  );
});

test('GStreamer', async () => {
  await holdsFor('GStreamer', (url) => gstreamer(url, SECONDS).done);
});

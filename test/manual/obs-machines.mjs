// OBS Studio and two servers, by hand: node test/manual/obs-machines.mjs [held|rolling]
//
// Needs what test/manual/obs.mjs needs, redis-server and haproxy. Runs OBS under Xvfb and prints what its log says and what was kept:
//   1 a publish that is held for 4.5 s, because another encoder sends: no record of the wait
//   2 the first publish of a broadcast is held for 3.5 s, because Redis is away: no record of the wait
//   3 a rolling restart of both servers behind HAProxy: one broadcast, one recording, and the gaps in records
import { register } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { closeScreen, Obs, openScreen } from './obs-studio.mjs';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');
const { ChaosSite } = await import('../support/chaos.ts');
const { Publisher, paced } = await import('../support/publisher.ts');
const { RedisServer } = await import('../support/redis-server.ts');
const { synthStream } = await import('../support/synth-stream.ts');

const OF_A_WAIT = [6102, 6203, 6208, 6215];
const STREAMING = /==== Streaming Start/;
let failures = 0;

const say = (text) => process.stdout.write(`${text}\n`);

function check(what, holds, shown) {
  if (!holds) failures++;
  say(`  ${holds ? 'ok ' : 'BAD'} ${what}${shown === undefined ? '' : `: ${shown}`}`);
}

/** Times of the lines of a server's log that have this text. */
const timesOf = ({ log }, text, from = 0) =>
  log
    .slice(from)
    .split('\n')
    .filter((line) => line.includes(`"${text}"`))
    .map((line) => Date.parse(JSON.parse(line).time));

async function showRecords(airlock, live) {
  const rows = (await airlock.errors(live.id)).reverse();
  for (const row of rows) say(`      ${row.stream_time_ms} ms, ${row.count} times: ${row.description}`);
  return rows;
}

/** Lets OBS publish to a server that holds it until `release`, and checks its records 25 s later. */
async function isHeld(airlock, live, heldMs, release) {
  const from = airlock.log.length;
  const obs = await Obs.start(airlock, { url: live.url });
  const [openedMs] = await airlock.until(
    async () => timesOf(airlock, 'connection opened', from),
    (times) => times.length > 0,
  );
  await wait(Math.max(0, heldMs - (Date.now() - openedMs)));
  await release();
  check('OBS streams', (await obs.says(STREAMING)) !== undefined);
  const [acceptedMs] = await airlock.until(
    async () => timesOf(airlock, 'publish accepted', from),
    (times) => times.length > 0,
  );
  const opened = timesOf(airlock, 'connection opened', from).length;
  check('the first try was held', opened === 1, `${((acceptedMs - openedMs) / 1_000).toFixed(2)} s`);
  await wait(25_000);
  const { status } = await airlock.get(`/${live.id}`, { fields: 'status' });
  check('the broadcast is LIVE', status === 'LIVE', status);
  const rows = await showRecords(airlock, live);
  const codes = rows.map(({ error_code }) => error_code);
  check('no record of the wait', !codes.some((code) => OF_A_WAIT.includes(code)), codes.join(' ') || 'none');
  await obs.stopStreaming();
  await obs.quit();
}

async function held() {
  say('1. held for another encoder');
  const redis = await RedisServer.start({ durable: true });
  const env = {
    REDIS_URL: redis.url,
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
    AIRLOCK_LOG_FORMAT: 'json',
    // So that each connection has its line.
    AIRLOCK_LOG_LEVEL: 'debug',
  };
  const [first, second] = [await Airlock.start(env), await Airlock.start(env)];
  try {
    const live = await second.createLive();
    const other = await Publisher.open(first, live.key);
    const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };
    const sending = other.send(paced(synthStream({ ...small, durationMs: 60_000 })));
    await isHeld(second, live, 4_500, () => other.stop());
    await sending;
    say('2. held while Redis is away');
    const fresh = await second.createLive();
    await redis.kill();
    await isHeld(second, fresh, 3_500, () => redis.restart());
  } finally {
    await Promise.all([first.stop(), second.stop()]);
    await redis.stop();
  }
}

/** Drains a server, stops it and starts it again, and waits until the balancer sends it streams. */
async function replace(site, server) {
  const before = server.log.length;
  process.kill(server.pid, 'SIGUSR2');
  await server.until(
    async () => server.log.slice(before),
    (log) => log.includes('drained: no publisher is left'),
  );
  await server.kill('SIGTERM');
  await server.restart();
  await server.until(
    () => site.isReady(server),
    (isReady) => isReady,
  );
}

async function rolling() {
  say('3. a rolling restart');
  const site = await ChaosSite.start(2, { AIRLOCK_DRAIN_S: '3' });
  try {
    const [first, second] = site.servers;
    const live = await first.createLive();
    const url = `rtmps://localhost:${site.balancer.port}/live/${live.key}`;
    const obs = await Obs.start({ authorityFile: site.authorityFile }, { url });
    check('OBS streams', (await obs.says(STREAMING)) !== undefined);
    const startedMs = Date.now();
    await wait(10_000);
    for (const server of [first, second]) {
      await replace(site, server);
      await wait(10_000);
    }
    const streamedS = (Date.now() - startedMs) / 1_000;
    await obs.stopStreaming();
    for (const line of obs.lines(/reconnect|Disconnect|NetStream|Streaming St/i)) say(`      ${line}`);
    await second.post(`/${live.id}`, { end_live_video: 'true' });
    const found = await second.until(
      () => second.get(`/${live.id}`, { fields: 'status,video{length}' }),
      (body) => body.status === 'VOD' && body.video.length > 0,
    );
    const rows = await showRecords(second, live);
    const interruptions = rows.filter(({ error_code }) => error_code === 6503);
    check('the gap is told', interruptions.length > 0);
    check('no try was refused', !rows.some(({ error_code }) => error_code === 6102));
    const accepted = site.servers.flatMap((server) => timesOf(server, 'publish accepted')).sort((a, b) => a - b);
    check('OBS published more than once', accepted.length > 1, `${accepted.length} times`);
    const { data } = await second.get(`/${second.quickstart.page_id}/videos`, { fields: 'id' });
    check('one recording', data.length === 1, `${found.video.length} s recorded of ${streamedS.toFixed(1)} s`);
    await obs.quit();
  } finally {
    await site.stop();
  }
}

const [, , only] = process.argv;
openScreen();
try {
  if (only !== 'rolling') await held();
  if (only !== 'held') await rolling();
} finally {
  closeScreen();
}
process.exitCode = failures === 0 ? 0 : 1;

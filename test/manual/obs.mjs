// OBS Studio against the built server, by hand: node test/manual/obs.mjs
//
// Needs Linux, root (to show OBS the local authority in a mount namespace of its own, so that nothing of the machine changes),
// and: apt-get install --no-install-recommends obs-studio xvfb
// Runs OBS under Xvfb four times and prints, for each, what its log says and what the server kept:
//   1 a clean stream          2 a refused key, with the reason in the log
//   3 a broadcast ended for a violation (strict), and OBS told why again when it reconnects by itself
//   4 as 3, ended by its owner
import { register } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { closeScreen, Obs, openScreen } from './obs-studio.mjs';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');

openScreen();
let failures = 0;

function say(text) {
  process.stdout.write(`${text}\n`);
}

/** The scene is a color without sound. */
const EMPTY_SCENE = [6801, 6811, 6812];
const RTMP = /rtmp|stream|reconnect|Disconnect|NetStream/i;

function check(what, holds, shown) {
  if (!holds) failures++;
  say(`  ${holds ? 'ok ' : 'BAD'} ${what}${shown === undefined ? '' : `: ${shown}`}`);
}

const describe = (rows) => rows.map((row) => `${row.error_code} ${row.error_type}`).join(', ') || 'no errors';

async function clean(airlock) {
  say('1. a clean stream');
  const live = await airlock.createLive();
  const obs = await Obs.start(airlock, { url: live.url });
  check('OBS streams', (await obs.says(/==== Streaming Start/)) !== undefined);
  await wait(25_000);
  const { ingest_streams } = await airlock.get(`/${live.id}`, { fields: 'ingest_streams' });
  say(`      ${JSON.stringify(ingest_streams?.[0]?.stream_health ?? {})}`);
  await obs.stopStreaming();
  const rows = await airlock.errors(live.id);
  check(
    'the server kept',
    rows.every(({ error_code }) => EMPTY_SCENE.includes(error_code)),
    describe(rows),
  );
  for (const row of rows) say(`      ${row.stream_time_ms} ms ${row.description}`);
  await obs.quit();
  if (process.argv.includes('--log')) say(obs.log);
}

async function refused(airlock) {
  say('2. a refused key');
  const live = await airlock.createLive();
  const obs = await Obs.start(airlock, { url: live.url.replace(/....$/, 'aaaa') });
  const line = await obs.says(/.*NetStream\.Publish\.BadName \(.*\)/);
  check('the reason is in the log', line?.includes('Unknown stream key') === true, line);
  await obs.quit();
}

async function violated(airlock) {
  say('3. ended for a violation (key frames every 10 s, strict)');
  const live = await airlock.createLive();
  const obs = await Obs.start(airlock, { url: live.url, keyFrameS: 10 });
  check('OBS streams', (await obs.says(/==== Streaming Start/)) !== undefined);
  const lost = await obs.says(/.*(Reconnecting in|Disconnected from|reconnecting).*/i);
  check('OBS notices the end', lost !== undefined, lost);
  const again = await obs.says(/.*NetStream\.Publish\.Rejected \(.*\)/, 90);
  check('the reconnect is refused with the reason', again?.includes('KEY_FRAME_INTERVAL_TOO_LONG') === true, again);
  check('the server kept', true, describe(await airlock.errors(live.id)));
  await obs.quit();
  for (const line of obs.lines(RTMP).slice(-12)) say(`      ${line}`);
}

async function ended(airlock) {
  say('4. ended by its owner');
  const live = await airlock.createLive();
  const obs = await Obs.start(airlock, { url: live.url });
  check('OBS streams', (await obs.says(/==== Streaming Start/)) !== undefined);
  await wait(3000);
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  const again = await obs.says(/.*NetStream\.Publish\.Rejected \(.*\)/, 60);
  check('the reconnect is refused with the reason', again?.includes('ended') === true, again);
  await obs.quit();
}

const airlock = await Airlock.start({ AIRLOCK_ENFORCE: 'strict' });
try {
  for (const run of [clean, refused, violated, ended]) await run(airlock);
} finally {
  await airlock.stop();
  closeScreen();
}
say(failures === 0 ? 'all as it should be' : `${failures} not as it should be`);
process.exitCode = failures === 0 ? 0 : 1;

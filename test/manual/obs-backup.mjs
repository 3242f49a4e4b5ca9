// OBS Studio as the primary encoder and ffmpeg as the backup, by hand: node test/manual/obs-backup.mjs
//
// Needs what test/manual/obs.mjs needs. Runs OBS under Xvfb and prints what is on air, and the gap of each switch:
//   1 both send, with their own keys      2 OBS is killed: the backup goes on air
//   3 OBS comes back and stands by; a command puts it on air      4 OBS stops streaming: the backup goes on air
//   5 the recording plays through
import { register } from 'node:module';
import { closeScreen, Obs, openScreen } from './obs-studio.mjs';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');
const { AFTER_MS, EncoderPair, KEY_FRAMES_MS, tracksOf } = await import('../support/encoder-pair.ts');

/** Of OBS, whose scene has no sound and a picture that stands still. */
const EMPTY_SCENE = [6801, 6811, 6812];
const OBS_KEY_FRAMES_MS = 2_000;
/** ffmpeg and OBS share a machine. */
const LATE_MS = 500;
let failures = 0;

const say = (text) => process.stdout.write(`${text}\n`);

function check(what, holds, shown) {
  if (!holds) failures++;
  say(`  ${holds ? 'ok ' : 'BAD'} ${what}${shown === undefined ? '' : `: ${shown}`}`);
}

async function startObs(airlock, pair) {
  const obs = await Obs.start(airlock, { url: pair.inputs[0].secure_stream_url });
  check('OBS streams', (await obs.says(/==== Streaming Start/)) !== undefined);
  return obs;
}

const seen = (inputs) =>
  inputs
    .map(({ on_air: isOnAir, stream_health: health }) => `${isOnAir ? 'on air' : 'stands by'} (${health?.encoder})`)
    .join(', ');

openScreen();
const airlock = await Airlock.start({ AIRLOCK_BACKUP_AFTER_MS: String(AFTER_MS) });
try {
  const pair = await EncoderPair.create(airlock);
  say('1. both send');
  let obs = await startObs(airlock, pair);
  await pair.onAir(0);
  const backup = pair.encode(1, airlock, {}, 4_000_000);
  const both = await pair.both();
  check('OBS is on air', both[0].on_air && !both[1].on_air, seen(both));

  say('2. OBS is killed');
  obs.child.kill('SIGKILL');
  await pair.onAir(1);
  const killedMs = await pair.toldGapMs(1);
  check('the backup is on air', killedMs <= AFTER_MS + KEY_FRAMES_MS, `gap ${killedMs} ms`);

  say('3. OBS comes back');
  obs = await startObs(airlock, pair);
  const back = await pair.both();
  check('OBS stands by', !back[0].on_air && back[1].on_air, seen(back));
  await pair.command(0);
  await pair.onAir(0);
  const commandMs = await pair.toldGapMs(2);
  check('OBS is on air by command', Math.abs(commandMs) <= LATE_MS, `gap ${commandMs} ms`);

  say('4. OBS stops streaming');
  await obs.stopStreaming();
  await pair.onAir(1);
  const stoppedMs = await pair.toldGapMs(3);
  check('the backup is on air', stoppedMs <= KEY_FRAMES_MS + LATE_MS, `gap ${stoppedMs} ms`);
  const { status } = await airlock.get(`/${pair.id}`, { fields: 'status' });
  check('the broadcast is LIVE', status === 'LIVE', status);
  await obs.quit();

  say('5. the recording');
  const recorded = await pair.recorded();
  await backup.done;
  for (const [kind, { leastMs, mostMs, lastMs }] of Object.entries(await tracksOf(recorded.source))) {
    const shown = `steps of ${leastMs.toFixed(0)} to ${mostMs.toFixed(0)} ms, ${(lastMs / 1000).toFixed(1)} s`;
    check(`${kind} plays through`, leastMs >= 0 && mostMs <= AFTER_MS + OBS_KEY_FRAMES_MS + LATE_MS, shown);
  }
  const rows = (await airlock.errors(pair.id)).reverse();
  for (const { description, input_stream: input } of rows)
    say(`      ${input === pair.inputs[0].id ? 'primary' : 'backup'}: ${description}`);
  const others = rows.filter(({ severity, error_code }) => severity === 'error' && !EMPTY_SCENE.includes(error_code));
  check('no error but of the empty scene', others.length === 0, others.map(({ error_code }) => error_code).join(' '));
} finally {
  await airlock.stop();
  closeScreen();
}
process.exitCode = failures === 0 ? 0 : 1;

// OBS 30.2 or newer that the built server sets up, by hand: node test/manual/obs-go-live.mjs [OBS_ROOT] [FOLDER]
//
// OBS_ROOT is a Debian 13 (OBS 30.2) or newer with obs-studio, for example
//   debootstrap --variant=minbase trixie OBS_ROOT && chroot OBS_ROOT apt-get install -y --no-install-recommends obs-studio
// Needs Linux, root, Xvfb, xdotool, and import of ImageMagick on the machine itself. Screenshots of dialogs go to FOLDER.
//   1 settings that break the specification (Simple, 6,000 kbps, automatic key frames): no error once set up by the server
//   2 a wrong key: an error dialog
//   3 a canvas of 4:3 at 50 fps: a warning dialog
// With OBS 31.1 or newer (Debian testing) also:
//   4 mono: a warning dialog
//   5 other settings for the running encoder, and back, without a click in OBS
//   6 two video tracks
// A list of numbers as the third argument runs only those.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LoggedProgram } from './logged-program.mjs';

/** The scene has no sound, and a picture that stands still. */
const EMPTY_SCENE = [6801, 6811, 6812];

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');

const [root = '/', shots = tmpdir()] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'airlock-obs-'));
const display = `:${90 + (process.pid % 100)}`;
const xvfb = spawn('Xvfb', [display, '-screen', '0', '1280x800x24'], { stdio: 'ignore' });
let failures = 0;

function check(what, holds, shown) {
  if (!holds) failures++;
  process.stdout.write(`  ${holds ? 'ok ' : 'BAD'} ${what}${shown === undefined ? '' : `: ${shown}`}\n`);
}

function ini(sections) {
  const lines = (values) => Object.entries(values).map(([key, value]) => `${key}=${value}\n`);
  return Object.entries(sections)
    .map(([name, values]) => `[${name}]\n${lines(values).join('')}`)
    .join('\n');
}

function writeConfig(folder, { key, goLiveUrl, width = 1280, height = 720, fps = 30, channels = 'Stereo' }) {
  const obs = join(folder, 'obs-studio');
  const profile = join(obs, 'basic', 'profiles', 'Airlock');
  mkdirSync(profile, { recursive: true });
  const general = {
    FirstRun: true,
    LastVersion: 503316480,
    InfoIncrement: 99,
    EnableAutoUpdates: false,
    Pre19Defaults: false,
    Pre31Migrated: true,
    MacOSPermissionsDialogLastShown: 1,
  };
  const basic = {
    Profile: 'Airlock',
    ProfileDir: 'Airlock',
    SceneCollection: 'Airlock',
    SceneCollectionFile: 'Airlock',
  };
  for (const file of ['global.ini', 'user.ini']) {
    writeFileSync(join(obs, file), ini({ General: general, Basic: basic }));
  }
  writeFileSync(
    join(profile, 'basic.ini'),
    ini({
      General: { Name: 'Airlock' },
      Stream1: { EnableMultitrackVideo: true },
      Video: { BaseCX: width, BaseCY: height, OutputCX: width, OutputCY: height, FPSType: 1, FPSInt: fps },
      Audio: { SampleRate: 48000, ChannelSetup: channels },
      Output: { Mode: 'Simple', Reconnect: true, RetryDelay: 2, MaxRetries: 25 },
      SimpleOutput: { VBitrate: 6000, ABitrate: 320, StreamEncoder: 'x264' },
    }),
  );
  const settings = {
    service: 'Airlock',
    server: 'auto',
    key,
    bwtest: false,
    multitrack_video_configuration_url: goLiveUrl,
    multitrack_video_name: 'Airlock',
  };
  writeFileSync(join(profile, 'service.json'), JSON.stringify({ type: 'rtmp_common', settings }));
  writeScene(obs);
}

/** Without a scene of its own, OBS creates one and does not start to stream. */
function writeScene(obs) {
  mkdirSync(join(obs, 'basic', 'scenes'), { recursive: true });
  const color = { name: 'Color', id: 'color_source', versioned_id: 'color_source_v3', settings: { color: 0xff20a0e0 } };
  const item = { name: 'Color', id: 1, visible: true, pos: { x: 0, y: 0 }, scale: { x: 1, y: 1 }, align: 5 };
  const scene = { name: 'Scene', id: 'scene', versioned_id: 'scene', settings: { id_counter: 1, items: [item] } };
  writeFileSync(
    join(obs, 'basic', 'scenes', 'Airlock.json'),
    JSON.stringify({
      name: 'Airlock',
      current_scene: 'Scene',
      current_program_scene: 'Scene',
      scene_order: [{ name: 'Scene' }],
      sources: [color, scene],
    }),
  );
}

class Obs extends LoggedProgram {
  constructor(airlock, config) {
    const folder = mkdtempSync(join(home, 'config-'));
    writeConfig(folder, { goLiveUrl: `${airlock.quickstart.http_url}/obs/go-live`, ...config });
    const certs = join(folder, 'certs');
    mkdirSync(certs);
    cpSync(airlock.authorityFile, join(certs, 'airlock.pem'));
    cpSync(airlock.authorityFile, join(certs, 'ca-certificates.crt'));
    const mounts = [
      `mount --bind ${certs} ${join(root, 'etc/ssl/certs')}`,
      `mkdir -p ${join(root, 'mnt')}`,
      `mount --bind ${folder} ${join(root, 'mnt')}`,
      `touch ${join(root, 'etc/hosts')} && mount --bind /etc/hosts ${join(root, 'etc/hosts')}`,
      ...(root === '/' ? [] : ['proc', 'sys', 'dev'].map((each) => `mount --rbind /${each} ${join(root, each)}`)),
    ];
    const options = '--multi --startstreaming --disable-updater --disable-shutdown-check --verbose';
    const obs = `chroot ${root} obs ${options} --profile Airlock --collection Airlock`;
    super('unshare', ['-m', 'sh', '-c', `${mounts.join(' && ')} && exec ${obs}`], {
      PATH: process.env.PATH,
      DISPLAY: display,
      HOME: '/mnt',
      XDG_CONFIG_HOME: '/mnt',
      XDG_RUNTIME_DIR: '/mnt',
      QT_QPA_PLATFORM: 'xcb',
      LIBGL_ALWAYS_SOFTWARE: '1',
      LC_ALL: 'C.UTF-8',
    });
  }
}

/** Waits for a window with this title and takes a picture of the screen. */
async function dialog(title, file) {
  const env = { ...process.env, DISPLAY: display };
  for (let tries = 0; tries < 300; tries++) {
    const found = spawnSync('xdotool', ['search', '--onlyvisible', '--name', title], { env });
    if (found.status === 0 && found.stdout.length > 0) {
      await wait(1_000);
      spawnSync('import', ['-window', 'root', join(shots, file)], { env });
      return join(shots, file);
    }
    await wait(100);
  }
  spawnSync('import', ['-window', 'root', join(shots, `missing-${file}`)], { env });
  return undefined;
}

const keyOf = (url) => url.slice(url.lastIndexOf('/') + 1);

async function setUp(airlock) {
  process.stdout.write('1. mis-set, and set up by the server\n');
  const live = await airlock.createLive();
  const obs = new Obs(airlock, { key: keyOf(live.url) });
  check('OBS streams', (await obs.says(/==== Streaming Start/)) !== undefined);
  await wait(30_000);
  const fields = 'encoder_setup,ingest_streams';
  const { encoder_setup, ingest_streams } = await airlock.get(`/${live.id}`, { fields });
  check('the publish names its answer', encoder_setup?.configured === true, JSON.stringify(encoder_setup));
  const rows = (await airlock.errors(live.id)).filter(({ error_code }) => !EMPTY_SCENE.includes(error_code));
  check('no errors', rows.length === 0, rows.map((row) => row.description).join('; '));
  process.stdout.write(`      ${JSON.stringify(ingest_streams?.[0]?.stream_health ?? {})}\n`);
  await obs.quit();
  if (process.argv.includes('--log')) process.stdout.write(obs.log);
}

async function wrongKey(airlock) {
  process.stdout.write('2. a wrong key\n');
  const live = await airlock.createLive();
  const obs = new Obs(airlock, { key: keyOf(live.url).replace(/....$/, 'aaaa') });
  const file = await dialog('Failed to start streaming', 'obs-wrong-key.png');
  check('an error dialog is shown', file !== undefined, file);
  await obs.quit();
}

async function wrongCanvas(airlock) {
  process.stdout.write('3. a canvas of 4:3 at 50 fps\n');
  const live = await airlock.createLive();
  const obs = new Obs(airlock, { key: keyOf(live.url), width: 1024, height: 768, fps: 50 });
  const file = await dialog('Warning', 'obs-wrong-canvas.png');
  check('a warning dialog is shown', file !== undefined, file);
  await obs.quit();
}

async function mono(airlock) {
  process.stdout.write('4. mono\n');
  const live = await airlock.createLive();
  const obs = new Obs(airlock, { key: keyOf(live.url), channels: 'Mono' });
  const file = await dialog('Warning', 'obs-mono.png');
  check('a warning dialog is shown', file !== undefined, file);
  await obs.quit();
}

const STREAMING = '==== Streaming Start';

async function retune(airlock) {
  process.stdout.write('5. other settings while live\n');
  const live = await airlock.createLive();
  const obs = new Obs(airlock, { key: keyOf(live.url) });
  check('OBS streams', await obs.saysAgain(STREAMING, 1, 60));
  await wait(15_000);
  let times = 1;
  for (const [profile, height] of [
    ['480p30', 480],
    ['auto', 720],
  ]) {
    const startMs = Date.now();
    const reply = await airlock.post(`/${live.id}`, { retune_encoder: 'true', encoder_profile: profile });
    check(`the server lets it go for ${profile}`, reply.id === live.id, JSON.stringify(reply.error ?? {}));
    const isBack = await obs.saysAgain(STREAMING, ++times, 70);
    await wait(12_000);
    const { encoder_setup, status, ingest_streams } = await airlock.get(`/${live.id}`, {
      fields: 'encoder_setup,status,ingest_streams',
    });
    const health = ingest_streams?.[0]?.stream_health ?? {};
    check(`OBS streams again (${isBack})`, health.video_height === height, JSON.stringify(health));
    check(
      'with new settings',
      encoder_setup?.height === height && status === 'LIVE',
      `${Date.now() - startMs} ms in all`,
    );
  }
  const rows = (await airlock.errors(live.id)).filter(
    ({ error_code }) => !EMPTY_SCENE.includes(error_code) && error_code < 6900,
  );
  check('no errors', rows.length === 0, rows.map((row) => row.description).join('; '));
  if (process.argv.includes('--log')) process.stdout.write(obs.log);
  await obs.quit();
}

async function twoTracks(airlock) {
  process.stdout.write('6. two video tracks\n');
  const live = await airlock.createLive({ enable_multitrack: 'true' });
  const obs = new Obs(airlock, { key: keyOf(live.url) });
  check('OBS streams', await obs.saysAgain(STREAMING, 1, 60));
  await wait(20_000);
  const rows = (await airlock.errors(live.id)).filter(
    ({ error_code }) => !EMPTY_SCENE.includes(error_code) && error_code < 6900,
  );
  check('no errors', rows.length === 0, rows.map((row) => row.description).join('; '));
  const { encoder_setup } = await airlock.get(`/${live.id}`, { fields: 'encoder_setup' });
  check('was set up', encoder_setup?.configured === true, JSON.stringify(encoder_setup));
  await obs.quit();
}

const ALL = [setUp, wrongKey, wrongCanvas, mono, retune, twoTracks];
const numbers = (process.argv[4] ?? '1,2,3').split(',').map(Number);
const airlock = await Airlock.start();
try {
  for (const number of numbers) await ALL[number - 1]?.(airlock);
} finally {
  await airlock.stop();
  xvfb.kill();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

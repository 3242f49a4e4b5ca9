// OBS Studio against the built server, by hand: node test/manual/obs.mjs
//
// Needs Linux, root (to show OBS the local authority in a mount namespace of its own, so that nothing of the machine changes),
// and: apt-get install --no-install-recommends obs-studio xvfb
// Runs OBS under Xvfb four times and prints, for each, what its log says and what the server kept:
//   1 a clean stream          2 a refused key, with the reason in the log
//   3 a broadcast ended for a violation (strict), and OBS told why again when it reconnects by itself
//   4 as 3, ended by its owner
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import WebSocket from 'ws';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');

for (const command of ['obs', 'Xvfb', 'unshare']) {
  if (spawnSync('which', [command]).status !== 0) throw new Error(`${command} is not installed`);
}

const home = mkdtempSync(join(tmpdir(), 'airlock-obs-'));
const display = `:${90 + (process.pid % 100)}`;
const xvfb = spawn('Xvfb', [display, '-screen', '0', '1280x720x24', '-nolisten', 'tcp'], { stdio: 'ignore' });
let failures = 0;

function say(text) {
  process.stdout.write(`${text}\n`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** A configuration folder: one profile, 360p30, x264 in strict CBR. */
function writeConfig(folder, { server, key, keyFrameS, controlPort }) {
  const obs = join(folder, 'obs-studio');
  const profile = join(obs, 'basic', 'profiles', 'Airlock');
  mkdirSync(profile, { recursive: true });
  mkdirSync(join(obs, 'basic', 'scenes'), { recursive: true });
  const ini = (sections) =>
    Object.entries(sections)
      .map(
        ([name, values]) =>
          `[${name}]\n${Object.entries(values)
            .map(([k, v]) => `${k}=${v}\n`)
            .join('')}`,
      )
      .join('\n');
  writeFileSync(
    join(obs, 'global.ini'),
    ini({
      General: { FirstRun: true, LastVersion: 486539266, EnableAutoUpdates: false, Pre19Defaults: false },
      Basic: { Profile: 'Airlock', ProfileDir: 'Airlock', SceneCollection: 'Airlock', SceneCollectionFile: 'Airlock' },
      OBSWebSocket: { FirstLoad: false, ServerEnabled: true, ServerPort: controlPort, AuthRequired: false },
    }),
  );
  writeFileSync(
    join(profile, 'basic.ini'),
    ini({
      General: { Name: 'Airlock' },
      Video: { BaseCX: 640, BaseCY: 360, OutputCX: 640, OutputCY: 360, FPSType: 0, FPSCommon: 30 },
      Audio: { SampleRate: 48000, ChannelSetup: 'Stereo' },
      Output: { Mode: 'Advanced', Reconnect: true, RetryDelay: 2, MaxRetries: 3 },
      AdvOut: { Encoder: 'obs_x264', TrackIndex: 1, Track1Bitrate: 128, ApplyServiceSettings: false },
    }),
  );
  const encoder = { rate_control: 'CBR', bitrate: 700, keyint_sec: keyFrameS, preset: 'ultrafast', profile: 'main' };
  writeFileSync(join(profile, 'streamEncoder.json'), JSON.stringify(encoder));
  // Without a scene of its own it makes one and forgets that it was told to start streaming.
  const color = {
    name: 'Color',
    id: 'color_source',
    versioned_id: 'color_source_v3',
    settings: { color: 0xff20a0e0 },
  };
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
  const settings = { server, key, use_auth: false, bwtest: false };
  writeFileSync(join(profile, 'service.json'), JSON.stringify({ type: 'rtmp_custom', settings }));
}

class Obs {
  static async start(airlock, { url, keyFrameS = 2 }) {
    const folder = mkdtempSync(join(home, 'config-'));
    const at = url.lastIndexOf('/');
    const controlPort = await freePort();
    writeConfig(folder, { server: url.slice(0, at), key: url.slice(at + 1), keyFrameS, controlPort });
    return new Obs(airlock, folder, controlPort);
  }

  constructor(airlock, folder, controlPort) {
    this.controlPort = controlPort;
    this.log = '';
    // OBS reads every file of /etc/ssl/certs: there is no setting for an authority.
    const certs = join(folder, 'certs');
    mkdirSync(certs);
    cpSync(airlock.authorityFile, join(certs, 'airlock.pem'));
    const obs =
      'obs --multi --startstreaming --minimize-to-tray --disable-updater --verbose --profile Airlock --collection Airlock';
    this.child = spawn('unshare', ['-m', 'sh', '-c', `mount --bind ${certs} /etc/ssl/certs && exec ${obs}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        DISPLAY: display,
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        QT_QPA_PLATFORM: 'xcb',
        LIBGL_ALWAYS_SOFTWARE: '1',
      },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (bytes) => {
        this.log += bytes;
      });
    }
  }

  async says(pattern, limitS = 60) {
    const until = Date.now() + 1000 * limitS;
    while (Date.now() < until) {
      const found = pattern.exec(this.log);
      if (found !== null) return found[0];
      if (this.child.exitCode !== null) break;
      await wait(100);
    }
    return undefined;
  }

  /** What the user's "Stop Streaming" does, through OBS's own control port. */
  async stopStreaming() {
    const socket = new WebSocket(`ws://127.0.0.1:${this.controlPort}`);
    await once(socket, 'message');
    socket.send(JSON.stringify({ op: 1, d: { rpcVersion: 1 } }));
    await once(socket, 'message');
    socket.send(JSON.stringify({ op: 6, d: { requestType: 'StopStream', requestId: '1' } }));
    await this.says(/Output 'adv_stream': stopping|Streaming Stop/, 20);
    socket.close();
  }

  async quit() {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const killer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(killer);
  }

  lines(pattern) {
    return this.log.split('\n').filter((line) => pattern.test(line));
  }
}

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
  check('the server kept', rows.length === 0, describe(rows));
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
  xvfb.kill();
  rmSync(home, { recursive: true, force: true });
}
say(failures === 0 ? 'all as it should be' : `${failures} not as it should be`);
process.exitCode = failures === 0 ? 0 : 1;

/**
 * OBS Studio under Xvfb, for scripts that are run by hand. Needs Linux, root (to show OBS the local authority in a mount
 * namespace of its own, so that nothing of the machine changes), and: apt-get install --no-install-recommends obs-studio xvfb
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { LoggedProgram } from './logged-program.mjs';

const screen = { home: '', display: `:${90 + (process.pid % 100)}`, xvfb: undefined };

export function openScreen() {
  for (const command of ['obs', 'Xvfb', 'unshare']) {
    if (spawnSync('which', [command]).status !== 0) throw new Error(`${command} is not installed`);
  }
  screen.home = mkdtempSync(join(tmpdir(), 'airlock-obs-'));
  const size = ['-screen', '0', '1280x720x24', '-nolisten', 'tcp'];
  screen.xvfb = spawn('Xvfb', [screen.display, ...size], { stdio: 'ignore' });
}

export function closeScreen() {
  screen.xvfb?.kill();
  rmSync(screen.home, { recursive: true, force: true });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** A configuration folder: one profile, 360p30, x264 in strict CBR, a color or a clip in a loop. */
function writeConfig(folder, { server, key, keyFrameS, controlPort, clip, isDynamic }) {
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
      Output: { Mode: 'Advanced', Reconnect: true, RetryDelay: 2, MaxRetries: 3, DynamicBitrate: isDynamic },
      AdvOut: { Encoder: 'obs_x264', TrackIndex: 1, Track1Bitrate: 128, ApplyServiceSettings: false },
    }),
  );
  const encoder = { rate_control: 'CBR', bitrate: 700, keyint_sec: keyFrameS, preset: 'ultrafast', profile: 'main' };
  writeFileSync(join(profile, 'streamEncoder.json'), JSON.stringify(encoder));
  // If the collection has no scene, OBS creates one and ignores --startstreaming.
  const color = { id: 'color_source', versioned_id: 'color_source_v3', settings: { color: 0xff20a0e0 } };
  const media = { id: 'ffmpeg_source', versioned_id: 'ffmpeg_source', settings: { local_file: clip, looping: true } };
  const source = { name: 'Source', ...(clip === undefined ? color : media) };
  const item = { name: 'Source', id: 1, visible: true, pos: { x: 0, y: 0 }, scale: { x: 1, y: 1 }, align: 5 };
  const scene = { name: 'Scene', id: 'scene', versioned_id: 'scene', settings: { id_counter: 1, items: [item] } };
  writeFileSync(
    join(obs, 'basic', 'scenes', 'Airlock.json'),
    JSON.stringify({
      name: 'Airlock',
      current_scene: 'Scene',
      current_program_scene: 'Scene',
      scene_order: [{ name: 'Scene' }],
      sources: [source, scene],
    }),
  );
  const settings = { server, key, use_auth: false, bwtest: false };
  writeFileSync(join(profile, 'service.json'), JSON.stringify({ type: 'rtmp_custom', settings }));
}

export class Obs extends LoggedProgram {
  /** `within`: the command that it runs in, as `ip netns exec`. */
  static async start(airlock, { url, keyFrameS = 2, clip, isDynamic = false, within = [] }) {
    const folder = mkdtempSync(join(screen.home, 'config-'));
    const at = url.lastIndexOf('/');
    const controlPort = await freePort();
    writeConfig(folder, { server: url.slice(0, at), key: url.slice(at + 1), keyFrameS, controlPort, clip, isDynamic });
    return new Obs(airlock, folder, controlPort, within);
  }

  constructor(airlock, folder, controlPort, within) {
    // OBS reads every file of /etc/ssl/certs: there is no setting for an authority.
    const certs = join(folder, 'certs');
    mkdirSync(certs);
    cpSync(airlock.authorityFile, join(certs, 'airlock.pem'));
    const obs =
      'obs --multi --startstreaming --minimize-to-tray --disable-updater --verbose --profile Airlock --collection Airlock';
    const inside = ['unshare', '-m', 'sh', '-c', `mount --bind ${certs} /etc/ssl/certs && exec ${obs}`];
    const [program, ...parameters] = [...within, ...inside];
    super(program, parameters, {
      ...process.env,
      DISPLAY: screen.display,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      QT_QPA_PLATFORM: 'xcb',
      LIBGL_ALWAYS_SOFTWARE: '1',
    });
    this.controlPort = controlPort;
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
}

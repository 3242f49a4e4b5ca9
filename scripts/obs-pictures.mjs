// The pictures of the dialogs of OBS Studio in docs/images: node scripts/obs-pictures.mjs [FOLDER]
//
// Needs: apt-get install --no-install-recommends obs-studio xvfb openbox xdotool, and ffmpeg. OBS runs under Xvfb on a
// folder of its own, with the settings that the guide tells, and is driven by its keys; nothing is published.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const output = process.argv[2] ?? join(import.meta.dirname, '..', 'docs', 'images');
const home = mkdtempSync(join(tmpdir(), 'airlock-obs-'));
const DISPLAY = `:${90 + (process.pid % 100)}`;
const SCREEN = { width: 1280, height: 900 };
const env = {
  ...process.env,
  DISPLAY,
  HOME: home,
  XDG_CONFIG_HOME: home,
  QT_QPA_PLATFORM: 'xcb',
  LIBGL_ALWAYS_SOFTWARE: '1',
};
/** Pictures of the settings: the entry in their list, a tab to click, and what is framed: x, y, width, height. */
const PAGES = [
  { name: 'stream', entry: 1, frames: [[270, 6, 656, 134]] },
  {
    name: 'output',
    entry: 2,
    frames: [
      [270, 6, 656, 42],
      [206, 316, 680, 160],
    ],
  },
  { name: 'output-audio', entry: 2, tab: [427, 72], frames: [[206, 130, 684, 44]] },
  { name: 'audio', entry: 3, frames: [[206, 44, 694, 84]] },
  { name: 'video', entry: 4, frames: [[196, 8, 732, 164]] },
];
/** Below the preview: the docks, with the buttons that the guide names. */
const DOCKS = {
  crop: 'crop=1000:256:0:384',
  frames: [
    [822, 426, 174, 40],
    [822, 544, 174, 32],
  ],
};

const ini = (sections) =>
  Object.entries(sections)
    .map(([name, values]) =>
      [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key}=${value}`)].join('\n'),
    )
    .join('\n\n');

/** A profile as the guide describes it: 720p30, x264 in CBR, a key frame every 2 s. */
function writeConfig() {
  const obs = join(home, 'obs-studio');
  const profile = join(obs, 'basic', 'profiles', 'Airlock');
  mkdirSync(profile, { recursive: true });
  mkdirSync(join(obs, 'basic', 'scenes'), { recursive: true });
  const names = {
    Profile: 'Airlock',
    ProfileDir: 'Airlock',
    SceneCollection: 'Airlock',
    SceneCollectionFile: 'Airlock',
  };
  writeFileSync(
    join(obs, 'global.ini'),
    ini({
      General: { FirstRun: true, LastVersion: 486539266, EnableAutoUpdates: false, Pre19Defaults: false },
      Basic: names,
      BasicWindow: { PreviewEnabled: false },
      OBSWebSocket: { FirstLoad: false, ServerEnabled: false },
    }),
  );
  writeFileSync(
    join(profile, 'basic.ini'),
    ini({
      General: { Name: 'Airlock' },
      Video: { BaseCX: 1280, BaseCY: 720, OutputCX: 1280, OutputCY: 720, FPSType: 0, FPSCommon: 30 },
      Audio: { SampleRate: 48000, ChannelSetup: 'Stereo' },
      Output: { Mode: 'Advanced' },
      AdvOut: { Encoder: 'obs_x264', TrackIndex: 1, Track1Bitrate: 128, ApplyServiceSettings: false },
    }),
  );
  const encoder = { rate_control: 'CBR', bitrate: 4000, keyint_sec: 2, preset: 'veryfast', profile: 'high' };
  writeFileSync(join(profile, 'streamEncoder.json'), JSON.stringify(encoder));
  const settings = {
    server: 'rtmps://localhost:1936/live/',
    key: 'a-key-of-the-guide',
    use_auth: false,
    bwtest: false,
  };
  writeFileSync(join(profile, 'service.json'), JSON.stringify({ type: 'rtmp_custom', settings }));
}

/** Windows without a frame: the place that xdotool names is wrong for others. */
function openboxConfig() {
  const file = join(home, 'openbox.xml');
  writeFileSync(
    file,
    '<openbox_config xmlns="http://openbox.org/3.4/rc"><applications><application class="*"><decor>no</decor></application></applications></openbox_config>',
  );
  return file;
}

function xdotool(...parameters) {
  const { status, stdout } = spawnSync('xdotool', parameters, { env, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** The window of this title, once it is there. */
async function windowNamed(title) {
  for (let tries = 0; tries < 300; tries++) {
    const [id] = xdotool('search', '--onlyvisible', '--name', title)?.split('\n') ?? [];
    if (id) return id;
    await wait(200);
  }
  throw new Error(`OBS shows no window ${title}`);
}

function geometry(id) {
  const text = xdotool('getwindowgeometry', '--shell', id) ?? '';
  const value = (name) => Number(new RegExp(`^${name}=(\\d+)`, 'm').exec(text)?.[1]);
  return { x: value('X'), y: value('Y'), width: value('WIDTH'), height: value('HEIGHT') };
}

const framed = ([x, y, width, height]) => `drawbox=${x}:${y}:${width}:${height}:color=0xff9f1c:thickness=3`;

/** Lossless WebP of the window. */
async function capture(id, name, { frames, crop }) {
  // The pointer would mark what lies below it.
  xdotool('mousemove', String(SCREEN.width - 1), String(SCREEN.height - 1));
  await wait(1_500);
  const { x, y, width, height } = geometry(id);
  const file = join(output, `obs-${name}.webp`);
  const grab = ['-f', 'x11grab', '-draw_mouse', '0', '-video_size', `${width}x${height}`, '-i', `${DISPLAY}+${x},${y}`];
  const filters = ['format=rgb24', ...frames.map(framed), ...(crop === undefined ? [] : [crop])];
  const webp = [
    '-vf',
    filters.join(),
    '-frames:v',
    '1',
    '-c:v',
    'libwebp',
    '-lossless',
    '1',
    '-compression_level',
    '6',
  ];
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...grab, ...webp, file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  process.stdout.write(`${file} ${statSync(file).size} bytes\n`);
}

writeConfig();
mkdirSync(output, { recursive: true });
const screen = ['-screen', '0', `${SCREEN.width}x${SCREEN.height}x24`, '-nolisten', 'tcp'];
const programs = [spawn('Xvfb', [DISPLAY, ...screen], { stdio: 'ignore' })];
try {
  await wait(1_000);
  programs.push(spawn('openbox', ['--config-file', openboxConfig()], { env, stdio: 'ignore' }));
  const parameters = ['--multi', '--disable-updater', '--profile', 'Airlock', '--collection', 'Airlock'];
  programs.push(spawn('obs', parameters, { env, stdio: 'ignore' }));
  const main = await windowNamed('^OBS ');
  xdotool('windowsize', main, '1000', '640');
  xdotool('windowmove', main, '0', '20');
  await capture(main, 'docks', DOCKS);
  xdotool('windowactivate', '--sync', main);
  xdotool('key', 'alt+f');
  await wait(500);
  xdotool('key', 's');
  const settings = await windowNamed('^Settings$');
  xdotool('windowactivate', '--sync', settings);
  xdotool('windowsize', settings, '940', '640');
  await wait(500);
  const click = async ([left, top]) => {
    const { x, y } = geometry(settings);
    xdotool('mousemove', String(x + left), String(y + top), 'click', '1');
    await wait(300);
  };
  for (const { name, entry, tab, frames } of PAGES) {
    await click([50, 30]);
    xdotool('key', 'Home');
    for (let at = 0; at < entry; at++) xdotool('key', 'Down');
    await wait(500);
    if (tab !== undefined) await click(tab);
    await capture(settings, name, { frames });
  }
} finally {
  for (const program of programs.reverse()) program.kill();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

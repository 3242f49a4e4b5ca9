// The suite runs real programs. On Debian, as root, what is missing is installed; elsewhere it is named and the run stops.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const TOOLS = [
  { command: 'ffmpeg', args: ['-version'], debian: 'ffmpeg', other: 'ffmpeg with libx264 (https://ffmpeg.org)' },
  { command: 'ffprobe', args: ['-version'], debian: 'ffmpeg', other: 'ffprobe, part of ffmpeg' },
  { command: 'bwrap', args: ['--version'], debian: 'bubblewrap', other: 'bubblewrap (Linux)' },
  { command: 'redis-server', args: ['--version'], debian: 'redis-server', other: 'Redis 6.2 or newer' },
  { command: 'haproxy', args: ['-v'], debian: 'haproxy', other: 'HAProxy 2.6 or newer' },
  {
    command: 'nginx',
    args: ['-v'],
    debian: 'nginx-light libnginx-mod-stream libnginx-mod-rtmp',
    other: 'nginx with its modules stream and rtmp',
  },
  { command: 'pebble', args: ['-help'], debian: 'pebble', other: 'Pebble with pebble-challtestsrv (ACME test server)' },
  { command: 'chromium', args: ['--version'], debian: 'chromium', other: 'Chromium' },
  {
    command: 'gst-inspect-1.0',
    args: ['rtmp2sink'],
    debian:
      'gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav',
    other: 'GStreamer 1.18 or newer with the plugin sets base, good, bad, ugly and libav',
  },
];

/** Not needed, but installed where it can be: without the windows of a browser, a page takes half of the processor time. */
const SAVING = { command: 'chromium-headless-shell', args: ['--version'], debian: 'chromium-headless-shell' };

const works = ({ command, args }) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const missing = TOOLS.filter((tool) => !works(tool));
const wanted = works(SAVING) ? [] : [SAVING];
if (missing.length + wanted.length === 0) process.exit(0);

const isDebian =
  existsSync('/etc/debian_version') && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
if (isDebian && process.getuid?.() === 0) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = (tools) => {
    const packages = [...new Set(tools.flatMap((tool) => tool.debian.split(' ')))];
    if (packages.length === 0) return;
    console.log(`installing for the tests: ${packages.join(' ')}`);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
  };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  install(missing);
  // By itself: not every distribution has it.
  install(wanted);
}

const stillMissing = missing.filter((tool) => !works(tool));
if (stillMissing.length > 0) {
  console.error('The test suite needs these programs on PATH:');
  for (const tool of stillMissing) {
    console.error(`  ${tool.command}: ${tool.other}${isDebian ? ` (apt-get install ${tool.debian})` : ''}`);
  }
  process.exit(1);
}

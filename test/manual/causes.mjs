// Causes on real sockets, by hand: node test/manual/causes.mjs
//
// Needs Linux, root, ip and tc of iproute2, ffmpeg, and the built server. ffmpeg sends from a network namespace over a veth pair.
//   1 30 s without disturbance: no cause
//   2 a link of 1.5 Mbit/s (tc tbf) for a stream of 2.6 Mbit/s: 6902 within 15 s
//   3 a link that is down for 6 s: 6901 within 15 s of its return
//   4 a server that is stopped for 6 s: 6908, and no other
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');

const SPACE = `airlock-${process.pid}`;
const HOST = `al${process.pid}`;
const HOST_ADDRESS = '10.213.77.1';
const folder = mkdtempSync(join(tmpdir(), 'airlock-causes-'));
const file = join(folder, 'sent.flv');
let failures = 0;

function run(program, ...parameters) {
  const { status, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`);
}

const inSpace = (...parameters) => run('ip', 'netns', 'exec', SPACE, ...parameters);

function check(what, holds, shown) {
  if (!holds) failures++;
  process.stdout.write(`  ${holds ? 'ok ' : 'BAD'} ${what}: ${shown}\n`);
}

/** A stream over the link, 30 s of it undisturbed; then `disturb`, and the causes that were named within `seconds` of it. */
async function attempt(name, airlock, disturb, restore, seconds) {
  const live = await airlock.createLive();
  const url = new URL(live.url);
  url.hostname = HOST_ADDRESS;
  const sender = spawn(
    'ip',
    [
      'netns',
      'exec',
      SPACE,
      'ffmpeg',
      '-v',
      'error',
      '-re',
      '-stream_loop',
      '-1',
      '-i',
      file,
      '-c',
      'copy',
      '-f',
      'flv',
      url.href,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  try {
    const causes = () => airlock.causes(live.id);
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'stream_state,status' }),
      ({ status }) => status === 'LIVE',
    );
    await wait(30_000);
    const before = await causes();
    check(`${name}: nothing before`, before.length === 0, before.map(({ error_type }) => error_type).join(' '));
    const sinceMs = Date.now() + (await disturb());
    while ((await causes()).length === 0 && Date.now() < sinceMs + seconds * 1000) await wait(250);
    const found = await causes();
    for (const { timestamp, description } of found) {
      process.stdout.write(`      ${((Date.parse(timestamp) - sinceMs) / 1000).toFixed(1)} s ${description}\n`);
    }
    return found.map(({ error_code }) => error_code);
  } finally {
    restore();
    sender.kill('SIGKILL');
  }
}

async function main() {
  run('ip', 'netns', 'add', SPACE);
  run('ip', 'link', 'add', HOST, 'type', 'veth', 'peer', 'name', 'sender', 'netns', SPACE);
  run('ip', 'address', 'add', `${HOST_ADDRESS}/30`, 'dev', HOST);
  run('ip', 'link', 'set', HOST, 'up');
  inSpace('ip', 'address', 'add', '10.213.77.2/30', 'dev', 'sender');
  inSpace('ip', 'link', 'set', 'sender', 'up');
  run(
    'ffmpeg',
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=1280x720:r=30',
    '-f',
    'lavfi',
    '-i',
    'sine=r=48000',
    '-t',
    '20',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-b:v',
    '2500k',
    '-maxrate',
    '2500k',
    '-bufsize',
    '2500k',
    '-g',
    '60',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-b:a',
    '128k',
    '-ac',
    '2',
    file,
  );
  const airlock = await Airlock.start({
    AIRLOCK_HOST: '0.0.0.0',
    AIRLOCK_QUICKSTART: 'on',
    AIRLOCK_HTTP_INSECURE: 'on',
  });
  const nothing = () => undefined;
  try {
    const narrow = await attempt(
      'narrow link',
      airlock,
      () => {
        const tbf = ['tbf', 'rate', '1500kbit', 'burst', '32kbit', 'latency', '400ms'];
        inSpace('tc', 'qdisc', 'add', 'dev', 'sender', 'root', ...tbf);
        return 0;
      },
      () => inSpace('tc', 'qdisc', 'del', 'dev', 'sender', 'root'),
      30,
    );
    check('narrow link', narrow.join() === '6902', narrow.join(' '));
    const outage = await attempt(
      'outage',
      airlock,
      async () => {
        run('ip', 'link', 'set', HOST, 'down');
        await wait(6000);
        run('ip', 'link', 'set', HOST, 'up');
        return 0;
      },
      nothing,
      30,
    );
    check('outage', outage.join() === '6901', outage.join(' '));
    const stopped = await attempt(
      'stopped server',
      airlock,
      async () => {
        for (const pid of airlock.pids) process.kill(pid, 'SIGSTOP');
        await wait(6000);
        for (const pid of airlock.pids) process.kill(pid, 'SIGCONT');
        return 0;
      },
      nothing,
      15,
    );
    check('stopped server', stopped.join() === '6908', stopped.join(' '));
  } finally {
    await airlock.stop();
  }
}

try {
  await main();
} finally {
  spawnSync('ip', ['netns', 'delete', SPACE]);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

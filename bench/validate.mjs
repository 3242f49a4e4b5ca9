/**
 * How fast a recording is held against the rules: `airlock validate` and `ffprobe -show_packets` over one gigabyte of FLV,
 * turn by turn in one run. Only the ratio means something on another machine. The file is made once and kept beside the
 * temporary files; both read it from the page cache.
 *
 *   npm run bench:validate [-- --runs 9 --profile 1080p30|720p30|720p30-low --megabytes 1000 --file FILE.flv]
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recording } from './lib/recording.mjs';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '9' },
    file: { type: 'string' },
    megabytes: { type: 'string', default: '1000' },
    profile: { type: 'string', default: '1080p30' },
  },
});
const ROOT = join(import.meta.dirname, '..');

const toSeconds = (text) => {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text);
  return 60 * Number(minutes) + Number(seconds);
};

// With it Node 20 parses every certificate of the machine at its start, some 40 ms that belong to a setting, not to a program.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Wall and CPU seconds. The CPU time of the child comes from the shell: Node does not report it. */
function timed(command) {
  const start = performance.now();
  const { stdout, status } = spawnSync('sh', ['-c', '"$@" >/dev/null; code=$?; times; exit $code', 'sh', ...command], {
    encoding: 'utf8',
  });
  const wall = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
  const [user, system] = stdout.trim().split('\n').at(-1).split(/\s+/).map(toSeconds);
  return { wall, cpu: user + system };
}

/** Peak of resident memory in MB, from the kernel's own books. */
function peakMb([program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    let peak = 0;
    const timer = setInterval(() => {
      const path = `/proc/${child.pid}/status`;
      const line = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8')) : undefined;
      peak = Math.max(peak, Number(line?.[1] ?? 0) / 1024);
    }, 5);
    child.once('error', reject);
    child.once('close', () => {
      clearInterval(timer);
      resolve(peak);
    });
  });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: ROOT, stdio: 'inherit' });
const file = options.file ?? recording(Number(options.megabytes), options.profile);
const megabytes = statSync(file).size / 1e6;
const airlock = [process.execPath, join(ROOT, 'dist', 'main.js'), 'validate', file];
const subjects = {
  ffprobe: ['ffprobe', '-v', 'error', '-show_packets', file],
  'ffprobe, compact': ['ffprobe', '-v', 'error', '-show_packets', '-of', 'compact', file],
  airlock,
  'Node, doing nothing': [process.execPath, '-e', '0'],
};

const results = new Map(Object.keys(subjects).map((name) => [name, []]));
for (let run = 0; run < Number(options.runs); run++) {
  for (const [name, command] of Object.entries(subjects)) results.get(name).push(timed(command));
}
const base = results.get('ffprobe');
const rows = [];
for (const [name, runs] of results) {
  const wall = median(runs.map((run) => run.wall));
  const best = Math.min(...runs.map((run) => run.wall));
  const cpu = median(runs.map((run) => run.cpu));
  const isReader = name !== 'Node, doing nothing';
  rows.push({
    what: name,
    'wall s (median)': wall.toFixed(3),
    'wall s (best)': best.toFixed(3),
    'CPU s (median)': cpu.toFixed(2),
    'MB/s': isReader ? (megabytes / wall).toFixed(0) : '',
    'peak MB': (await peakMb(subjects[name])).toFixed(0),
    'times ffprobe, wall': isReader ? (median(base.map((run) => run.wall)) / wall).toFixed(2) : '',
    'best to best': isReader ? (Math.min(...base.map((run) => run.wall)) / best).toFixed(2) : '',
    'times ffprobe, CPU': isReader ? (median(base.map((run) => run.cpu)) / cpu).toFixed(2) : '',
  });
}
console.log(`${megabytes.toFixed(0)} MB, ${options.runs} runs of each, turn by turn`);
console.table(rows);

/**
 * How do CPU and memory grow with the number of publishers? Servers at the same time, each under a load of its own, in real time: with
 * the same bitrate for each publisher, and with the same bitrate in all. CPU is that of the whole tree of processes, memory its
 * proportional set size.
 *
 *   node bench/growth.mjs [--publishers 1,10,50,150] [--only floor,nginx-rtmp,airlock] [--seconds 15] [--warmup 15]
 *                         [--profile 1080p30] [--total-kbps 40000] [--svg FILE] [--json FILE]
 */
import { rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { buildIfStale } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { underLoad } from './lib/load.mjs';
import { memoryOf } from './lib/measure.mjs';
import { svg } from './lib/plot.mjs';
import { makeCertificate } from './lib/processes.mjs';
import { scratchFolder, subjects as subjectsWith } from './lib/subjects.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values: options } = parseArgs({
  options: {
    publishers: text('1,10,50,150'),
    only: text('floor,nginx-rtmp,airlock'),
    seconds: text('15'),
    warmup: text('15'),
    profile: text('1080p30'),
    'total-kbps': text('40000'),
    svg: { type: 'string' },
    json: { type: 'string' },
  },
});
const counts = options.publishers.split(',').map(Number);
const [seconds, warmupSeconds, totalKbps] = [options.seconds, options.warmup, options['total-kbps']].map(Number);
/** AAC beside the video of each publisher, and the least video. */
const AUDIO_KBPS = 128;
const LEAST_KBPS = 72;

const scratch = scratchFolder();
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const subjects = subjectsWith(makeCertificate(scratch));
const names = options.only.split(',').filter((name) => {
  const why = subjects[name].missing();
  if (why !== undefined) console.log(`${subjects[name].name}: not tried, ${why}`);
  return why === undefined;
});

const videoKbps = (count) => Math.round(totalKbps / count) - AUDIO_KBPS;
const TABLES = [
  {
    title: `The same bitrate each, ${options.profile}`,
    loads: counts.map((publishers) => ({ publishers, profile: options.profile })),
  },
  {
    title: `The same bitrate in all, ${totalKbps / 1000} Mbit/s`,
    loads: counts
      .filter((count) => videoKbps(count) >= LEAST_KBPS)
      .map((publishers) => ({ publishers, profile: `${videoKbps(publishers)}k` })),
  },
];

/** Memory while the load runs, in MB. */
async function memoryDuring(server) {
  await new Promise((resolve) => setTimeout(resolve, (warmupSeconds + seconds / 2) * 1000));
  return memoryOf(server).reduce((sum, { sharedOnceMb }) => sum + sharedOnceMb, 0);
}

async function measured(name, server, load) {
  const [result, memoryMb] = await Promise.all([underLoad(server, load), memoryDuring(server)]);
  const gigabytes = (result.mbps * seconds) / 8e3;
  return {
    name,
    publishers: load.publishers,
    cpuPerGb: result.cpuPerGb + result.toolsCpu / gigabytes,
    corePercent: 100 * (result.cores + result.toolsCpu / seconds),
    memoryMb,
    mbps: result.mbps,
    faults: result.faults,
  };
}

async function under(load) {
  const full = { mode: 'paced', seconds, warmupSeconds, isShared: names.length > 1, ...load };
  const servers = [];
  try {
    for (const name of names) servers.push(await subjects[name].start(full, scratch));
    return await Promise.all(names.map((name, i) => measured(name, servers[i], full)));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

const FIGURES = [
  ['CPU, s a gigabyte', 'cpuPerGb', 2],
  ['CPU, % of a core', 'corePercent', 1],
  ['memory, MB', 'memoryMb', 0],
];

function print({ title }, results) {
  const columns = names.flatMap((name) => FIGURES.map(([figure]) => `${subjects[name].name}: ${figure}`));
  console.log(`\n## ${title}\n\n| Publishers | Mbit/s | ${columns.join(' | ')} | faults |`);
  console.log(`|${'---|'.repeat(columns.length + 3)}`);
  for (const row of results) {
    const cells = row.flatMap((result) => FIGURES.map(([, key, digits]) => result[key].toFixed(digits)));
    const faults = row.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
    console.log(`| ${row[0].publishers} | ${row[0].mbps.toFixed(0)} | ${cells.join(' | ')} | ${faults.join('; ')} |`);
  }
}

/** Two panels of each table: each server a line over the counts. */
function drawn(tables) {
  const counted = tables.flatMap(({ results }) => results.map((row) => row[0].publishers));
  const places = counts.filter((count) => counted.includes(count));
  const panels = tables.flatMap(({ title, results }) =>
    [FIGURES[1], FIGURES[2]].map(([figure, key]) => ({
      title: `${title}: ${figure}`,
      series: names.map((name, i) => ({ name, values: results.map((row) => row[i][key]) })),
    })),
  );
  return svg({ title: 'CPU and memory by publishers', times: places.map((_, i) => i), names: places, panels });
}

if (names.some((name) => name.startsWith('airlock'))) buildIfStale();
const tables = [];
for (const table of TABLES.filter(({ loads }) => loads.length > 0)) {
  for (const { profile } of table.loads) content(profile);
  const results = [];
  for (const load of table.loads) results.push(await under(load));
  print(table, results);
  tables.push({ ...table, results });
}
console.log(`\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}`);
if (options.svg !== undefined) writeFileSync(options.svg, drawn(tables));
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(tables, undefined, 2));
process.exit(0);

/**
 * npm run bench -- [--publishers 150] [--seconds 20] [--record-bytes 4096] [--only floor,airlock] [--warmup 5]
 *                  [--profile 1080p30] [--phases 25] [--viewers 0] [--rounds 1] [--load paced,flood] [--apart] [--json FILE]
 *                                                              the two loads of the budget
 * npm run bench -- --quick                                       the same, small: is everything there and sane?
 * npm run bench -- --full                                        tables by record size, publishers, bitrate, viewers
 * npm run bench -- --gate [--update]                             three rounds against bench/baseline.json; fails if worse
 *
 * Figures mean something only as ratios within one run: the machine may be shared, so the floor is measured in each, and in real
 * time beside each server; `--apart` gives each the machine for itself, and so does `--full`.
 * bench/README.md says what each column is.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { buildIfStale } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { compare, ratiosOf, readBaseline, writeBaseline } from './lib/gate.mjs';
import { budget, full, quick } from './lib/matrix.mjs';
import { makeCertificate } from './lib/processes.mjs';
import { markdown } from './lib/report.mjs';
import { inRounds } from './lib/rounds.mjs';
import { scratchFolder, subjects as subjectsWith, WATCHABLE } from './lib/subjects.mjs';

const ALL = 'floor,floor-recording,airlock,airlock-published,airlock-recording,node-media-server,nginx-rtmp,srs';
/** The rounds of the gate: no other servers, and warm. */
const GATE = {
  rounds: '3',
  warmup: '12',
  seconds: '10',
  only: 'floor,floor-recording,airlock,airlock-published,airlock-recording',
};
const isGate = process.argv.includes('--gate');
const DEFAULT = { rounds: '1', warmup: '5', seconds: '20', only: ALL, ...(isGate ? GATE : {}) };
const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '150' },
    seconds: { type: 'string', default: DEFAULT.seconds },
    'record-bytes': { type: 'string', default: '4096' },
    only: { type: 'string', default: DEFAULT.only },
    warmup: { type: 'string', default: DEFAULT.warmup },
    profile: { type: 'string', default: '1080p30' },
    phases: { type: 'string', default: '25' },
    viewers: { type: 'string', default: '0' },
    rounds: { type: 'string', default: DEFAULT.rounds },
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    load: { type: 'string', default: 'paced,flood' },
    apart: { type: 'boolean', default: false },
    gate: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const asked = {
  publishers: Number(options.publishers),
  seconds: Number(options.seconds),
  warmupSeconds: Number(options.warmup),
  recordBytes: Number(options['record-bytes']),
  phases: Number(options.phases),
  viewers: Number(options.viewers),
};
for (const [name, value] of Object.entries(asked))
  if (!(value >= 0)) throw new Error(`${name} is no number: see the head of bench/run.mjs`);

const only = options.only.split(',');
const unknown = only.filter((name) => !ALL.split(',').includes(name));
if (unknown.length > 0) throw new Error(`no such server: ${unknown.join(', ')}; there are ${ALL}`);

const wantedLoads = options.load.split(',');
if (!wantedLoads.every((load) => ['paced', 'flood'].includes(load)))
  throw new Error('--load takes paced, flood or both');

const tables = options.full
  ? full(asked)
  : options.quick
    ? quick()
    : budget({ ...asked, profile: options.profile }, wantedLoads);
if (only.some((name) => name.startsWith('airlock'))) buildIfStale();
for (const { loads } of tables) for (const { profile } of loads) content(profile);

const scratch = scratchFolder();
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const subjects = subjectsWith(makeCertificate(scratch));
const missing = only.filter((name) => subjects[name].missing() !== undefined);
for (const name of missing) console.log(`${subjects[name].name}: not tried, ${subjects[name].missing()}`);
const present = only.filter((name) => !missing.includes(name));

const results = [];
const run = { subjects, scratch, rounds: Number(options.rounds), isTogether: !options.apart && !options.full };
for (const { title, loads } of tables) {
  for (const load of loads) {
    const able = present.filter((name) => load.viewers === 0 || WATCHABLE.includes(name));
    for (const result of await inRounds(able, { ...run, load })) results.push({ table: title, load, ...result });
  }
}

const names = Object.fromEntries(Object.entries(subjects).map(([key, { name }]) => [key, name]));
console.log(`\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}\n`);
console.log(markdown(results, names));
for (const name of missing) console.log(`Not tried: ${names[name]} (${subjects[name].missing()}).`);
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, undefined, 2));
process.exit(isGate && !passes(ratiosOf(results)) ? 1 : 0);

function passes(ratios) {
  if (options.update) {
    writeBaseline(ratios);
    return true;
  }
  const { lines, failing } = compare(ratios, readBaseline(), only);
  console.log(lines.join('\n'));
  console.log(failing.length === 0 ? '\nThe gate passes.' : `\nThe gate fails:\n${failing.join('\n')}`);
  return failing.length === 0;
}

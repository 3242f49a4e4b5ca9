/**
 * Measures servers under load: `npm run bench -- --help` lists the options, bench/README.md describes the method and the columns.
 *
 * Figures mean something only as ratios within one run: the machine may be shared, so the floor is measured in each, beside each
 * server or in turn with it; `--apart` gives each the machine for itself, and so does `--full`.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { buildIfStale } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { compare, PEERS, ratiosOf, readBaseline, writeBaseline } from './lib/gate.mjs';
import { budget, full, quick } from './lib/matrix.mjs';
import { optionsOrExit } from './lib/options.mjs';
import { makeCertificate } from './lib/processes.mjs';
import { markdown } from './lib/report.mjs';
import { inRounds } from './lib/rounds.mjs';
import { scratchFolder, subjects as subjectsWith, WATCHABLE } from './lib/subjects.mjs';

const options = optionsOrExit(process.argv.slice(2));
const { asked, only, loads: wantedLoads } = options;

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
const run = { subjects, scratch, rounds: options.rounds, isTogether: !options.apart && !options.full };
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
process.exit(options.gate && !passes(ratiosOf(results)) ? 1 : 0);

function passes(ratios) {
  if (options.update) {
    writeBaseline(ratios);
    return true;
  }
  const measured = only.filter((name) => present.includes(name) || !PEERS.includes(name));
  const { lines, failing } = compare(ratios, readBaseline(), measured);
  console.log(lines.join('\n'));
  console.log(failing.length === 0 ? '\nThe gate passes.' : `\nThe gate fails:\n${failing.join('\n')}`);
  return failing.length === 0;
}

// Fuzzes the readers of foreign bytes, one target after the other, and prints what was done (docs/fuzzing.md):
//   npm run fuzz                                                every target for half a minute, from a new seed
//   npm run fuzz -- --target session --minutes 30 --seed 7
//   npm run fuzz -- --target media --target amf                 every target whose name begins so
//   npm run fuzz -- --target session --seed 7 --execution 123   one execution again; its input goes to standard error
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: [''] },
    minutes: { type: 'string', default: '0.5' },
    seed: { type: 'string', default: String(Date.now() >>> 0) },
    execution: { type: 'string' },
  },
});
const seconds = Number(values.minutes) * 60;
if (!(seconds > 0)) throw new Error('--minutes must be a number above 0');

/** Resolves with the lines of a run, the last of which is its sum, and with what ended it. */
async function run(target) {
  const options = { seconds: String(seconds), seed: values.seed, execution: values.execution };
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--no-warnings',
      '--max-old-space-size=512',
      '--import',
      './test/support/typescript-loader.mjs',
      'test/fuzz/campaign.ts',
      '--target',
      target,
      ...given,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
  const lines = [];
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line);
    lines.push(said);
    if (typeof said.found !== 'string') continue;
    console.log(`\n${said.found}`);
    if (said.input !== undefined) console.log(`input ${said.input}`);
    console.log(`again: npm run fuzz -- --target ${target} --seed ${said.seed} --execution ${said.execution}`);
  }
  return { lines, end: await ended };
}

const [{ targets }] = (await run('')).lines;
const chosen = targets.filter((name) => values.target.some((wanted) => name.startsWith(wanted)));
if (chosen.length === 0) throw new Error(`no such target; there are ${targets.join(', ')}`);

const number = (value) => Math.round(value).toLocaleString('en-US');
const rows = [];
let isClean = true;
for (const target of chosen) {
  const { lines, end } = await run(target);
  if (values.execution !== undefined) continue;
  const sum = lines.find(({ executions }) => executions !== undefined);
  const found = lines.filter((line) => typeof line.found === 'string').length;
  if (found > 0 || end !== 0) isClean = false;
  const { executions = 0, seconds = 0, slowestMs = '', aliveMb = '' } = sum ?? {};
  const what = end !== 0 ? `it ended with ${end}` : found > 0 ? `${found}, above` : 'nothing';
  rows.push(
    `| ${target} | ${number(executions)} | ${number(seconds)} | ${number(executions / (seconds || 1))} | ${values.seed} | ${slowestMs} | ${aliveMb} | ${what} |`,
  );
  console.log(rows.at(-1));
}
console.log('\n| Target | Executions | Seconds | Per second | Seed | Slowest, ms | Alive, MB | Found |');
console.log('|---|---|---|---|---|---|---|---|');
for (const row of rows) console.log(row);
process.exit(isClean ? 0 : 1);

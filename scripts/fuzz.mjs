// Runs every fuzz target for as long as asked, each from a new seed, and prints what was done:
//   npm run fuzz                                  30 s a target
//   npm run fuzz -- --seconds 600 rtmp            ten minutes for each target of test/fuzz/rtmp
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '30' } },
  allowPositionals: true,
});
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0');

const folder = mkdtempSync(join(tmpdir(), 'airlock-fuzz-'));
const log = join(folder, 'log');
const patterns = (positionals.length > 0 ? positionals : ['']).map((name) => `test/fuzz/${name}`);
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    ...patterns,
    `--testTimeout=${seconds * 1000 + 60_000}`,
  ],
  { stdio: 'inherit', env: { ...process.env, FUZZ_SECONDS: String(seconds), FUZZ_LOG: log } },
);

const rows = existsSync(log)
  ? readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ target }) => !/canar|the fuzzer itself/.test(target))
  : [];
rmSync(folder, { recursive: true });
const number = (value) => Math.round(value).toLocaleString('en-US');
console.log('\n| Target | Executions | Seconds | Per second | Seed | Memory, MB | Found |');
console.log('|---|---|---|---|---|---|---|');
for (const row of rows.sort((a, b) => (a.target < b.target ? -1 : 1))) {
  const rate = row.executions / row.seconds;
  const found = row.error === undefined ? 'nothing' : `${row.error} (input ${row.input})`;
  console.log(
    `| ${row.target} | ${number(row.executions)} | ${number(row.seconds)} | ${number(rate)} | ${row.seed} | ${row.memoryMb} | ${found} |`,
  );
}
const total = rows.reduce((sum, row) => sum + row.executions, 0);
console.log(`\n${number(total)} executions over ${rows.length} targets`);
process.exit(status ?? 1);

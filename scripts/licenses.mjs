// Writes the list of licenses of what a production install holds into docs/supply-chain.md; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'docs/supply-chain.md';
const [BEGIN, END] = ['<!-- licenses -->', '<!-- /licenses -->'];
/** What the lock file has no word about: read in the packages themselves. */
const READ = {
  async: 'MIT',
  busboy: 'MIT',
  streamsearch: 'MIT',
};
/** Named otherwise than SPDX does. */
const SPDX = {
  GPLv3: 'GPL-3.0',
  'https://git.ffmpeg.org/gitweb/ffmpeg.git/blob_plain/HEAD:/LICENSE.md': 'GPL-3.0',
};

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const byLicense = new Map();
for (const [path, entry] of Object.entries(packages)) {
  if (path === '' || entry.dev || entry.devOptional) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const stated = entry.license ?? READ[name] ?? 'unknown';
  const license = SPDX[stated] ?? stated;
  byLicense.set(license, (byLicense.get(license) ?? new Set()).add(name));
}
const rows = [...byLicense]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([license, names]) => `| ${license} | ${names.size} | ${[...names].sort().join(', ')} |`);
const table = [BEGIN, '| License | Packages | Which |', '|---|---|---|', ...rows, END].join('\n');

const text = readFileSync(FILE, 'utf8');
const next = text.slice(0, text.indexOf(BEGIN)) + table + text.slice(text.indexOf(END) + END.length);
if (process.argv.includes('--check')) {
  if (byLicense.has('unknown')) throw new Error(`no license known: ${[...byLicense.get('unknown')].join(', ')}`);
  if (next !== text)
    throw new Error(`the licenses in ${FILE} are not those of package-lock.json: node scripts/licenses.mjs`);
} else {
  writeFileSync(FILE, next);
}

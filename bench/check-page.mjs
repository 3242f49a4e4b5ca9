/**
 * How fast `/check/` judges a recording in Chromium, and in how much memory: the page and `airlock validate` over the same FLV file,
 * turn by turn in one run. Only the ratio means something on another machine. Fails below a third of the speed of `validate`.
 *
 *   node bench/check-page.mjs [--gb 2 --runs 3 --profile 1080p30|720p30|720p30-low --file FILE]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { recording } from './lib/recording.mjs';

const { values: options } = parseArgs({
  options: {
    gb: { type: 'string', default: '2' },
    runs: { type: 'string', default: '3' },
    profile: { type: 'string', default: '1080p30' },
    file: { type: 'string' },
  },
});
/** Issue and design: at least a third of the speed of `validate`. */
const LEAST_RATIO = 1 / 3;
const TIMEOUT_MS = 600_000;
const SHELL = '/usr/bin/chromium-headless-shell';

const root = join(import.meta.dirname, '..');
execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: root, stdio: 'inherit' });
const { createPages } = await import('../dist/dashboard/pages.js');
const file = options.file ?? recording(Number(options.gb) * 1000, options.profile);
const megabytes = statSync(file).size / 1e6;

const server = createServer(createPages({ root: join(root, 'dist', 'dashboard', 'web') }));
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const executablePath = process.env.CHROMIUM_PATH ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/check/`);

/** Processes below this one: Chromium's, while the page is measured. */
function descendants() {
  const childrenOf = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = Number(
      readIfThere(`/proc/${name}/stat`)
        ?.replace(/^.*\) \S+ /s, '')
        .split(' ')[0],
    );
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found = childrenOf.get(process.pid) ?? [];
  for (const pid of found) found.push(...(childrenOf.get(pid) ?? []));
  return found;
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Megabytes that the processes have of their own, shared pages split between those that share them. */
function memoryMb() {
  const each = descendants().map((pid) => {
    const isPage = /--type=renderer/.test(readIfThere(`/proc/${pid}/cmdline`) ?? '');
    const [, kilobytes = 0] = /^Pss:\s+(\d+) kB/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`) ?? '') ?? [];
    return { isPage, megabytes: Number(kilobytes) / 1024 };
  });
  const sum = (rows) => rows.reduce((total, row) => total + row.megabytes, 0);
  return { all: sum(each), page: sum(each.filter(({ isPage }) => isPage)) };
}

/** Runs in the page, which tells the time from the choice of the file to its result: the driver looks only twice a second. */
function watchResult() {
  let chosenAt = 0;
  addEventListener('change', () => (chosenAt = performance.now()), { capture: true, once: true });
  window.resultMs = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('article') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - chosenAt));
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
}

async function timedPage() {
  const before = memoryMb();
  const peak = { ...before };
  const timer = setInterval(() => {
    const now = memoryMb();
    peak.all = Math.max(peak.all, now.all);
    peak.page = Math.max(peak.page, now.page);
  }, 200);
  await page.evaluate(watchResult);
  await page.getByLabel('Choose files').setInputFiles(file);
  await page.getByRole('article', { name: `Result of ${basename(file)}` }).waitFor({ timeout: TIMEOUT_MS });
  const seconds = (await page.evaluate(() => window.resultMs)) / 1000;
  clearInterval(timer);
  await page.getByRole('button', { name: `Remove ${basename(file)}` }).click();
  return { seconds, before, peak };
}

function timedValidate() {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, [join(root, 'dist', 'main.js'), 'validate', '--quiet', file]);
  // 1: the recording breaks a rule.
  if (status !== 0 && status !== 1) throw new Error(`validate ended with ${status}`);
  return (performance.now() - start) / 1000;
}

const rows = [];
for (let run = 0; run < Number(options.runs); run++) {
  const validateS = timedValidate();
  const { seconds, before, peak } = await timedPage();
  rows.push({ validateS, pageS: seconds, before, peak });
}
await browser.close();
server.close();

const best = (values) => Math.min(...values);
const ratio = best(rows.map(({ validateS }) => validateS)) / best(rows.map(({ pageS }) => pageS));
console.log(`${(megabytes / 1000).toFixed(2)} GB of FLV, ${options.runs} runs of each, turn by turn`);
console.table(
  rows.map(({ validateS, pageS, before, peak }) => ({
    'validate s': validateS.toFixed(2),
    'page s': pageS.toFixed(2),
    'page MB/s': (megabytes / pageS).toFixed(0),
    'page of validate': (validateS / pageS).toFixed(2),
    'page process MB, before': before.page.toFixed(0),
    'page process MB, peak': peak.page.toFixed(0),
    'Chromium MB, before': before.all.toFixed(0),
    'Chromium MB, peak': peak.all.toFixed(0),
  })),
);
console.log(
  `Best to best: the page has ${ratio.toFixed(2)} of the speed of validate (at least ${LEAST_RATIO.toFixed(2)})`,
);
process.exitCode = ratio < LEAST_RATIO ? 1 : 0;

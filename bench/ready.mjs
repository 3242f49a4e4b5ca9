// node bench/ready.mjs [--broadcasts 10000] [--starts 7] [--folder DIR]
// Time from the start of `airlock serve` until `/readyz` answers 200, on a data folder with this many live videos, each created
// over HTTP before and with error records, and on one with none. With --folder the data stays for the next run, which adds what is missing.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './lib/measure.mjs';
import { freePort, ours } from './lib/processes.mjs';
import { faults, ROOT, serverFolder, startAirlock, stop, withStore } from './lib/server.mjs';

const { values: options } = parseArgs({
  options: {
    broadcasts: { type: 'string', default: '10000' },
    starts: { type: 'string', default: '7' },
    folder: { type: 'string' },
  },
});
const RETRY_MS = 4;
const AT_ONCE = 8;
const RECORDS = 3;

/** A folder that was filled before is left as it is. */
async function fill(folder, wanted) {
  const { child, quickstart } = await startAirlock(folder);
  ours(child);
  const { http_url: url, access_token: token, page_id: page } = quickstart;
  const post = async (path, form) => {
    const answer = await fetch(`${url}/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ access_token: token, ...form }),
    });
    if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const listed = await fetch(`${url}/${page}/live_videos?summary=total_count&limit=1&access_token=${token}`);
  let missing = wanted - ((await listed.json()).summary?.total_count ?? 0);
  const ids = [];
  const one = async () => {
    while (missing-- > 0) ids.push((await post(`${page}/live_videos`, { status: 'LIVE_NOW' })).id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  await stop(child);
  await withStore(folder, async (store) => {
    for (const id of ids) await store.records.append(faults(id, 1, RECORDS));
  });
}

/** Whether the server answers that it is ready. */
const isReady = (port) =>
  new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });

async function startMs({ env }) {
  const port = await freePort();
  const startedAt = performance.now();
  const child = ours(
    spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'serve'], {
      env: { ...env, AIRLOCK_HTTP_PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`airlock ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  const elapsed = performance.now() - startedAt;
  await stop(child);
  return elapsed;
}

function folderNamed(name) {
  const folder = serverFolder();
  if (options.folder === undefined) return folder;
  folder.remove();
  const path = join(options.folder, name);
  mkdirSync(path, { recursive: true });
  const env = { ...folder.env, AIRLOCK_DATA_DIR: join(path, 'data'), AIRLOCK_CERTS_DIR: join(path, 'certs') };
  return { path, env, remove: () => undefined };
}

const folders = [folderNamed('none'), folderNamed('filled')];
process.once('exit', () => {
  for (const folder of folders) folder.remove();
});
const counts = [0, Number(options.broadcasts)];
for (const [at, folder] of folders.entries()) await fill(folder, counts[at]);
const times = folders.map(() => []);
for (let start = 0; start < Number(options.starts); start++)
  for (const [at, folder] of folders.entries()) times[at].push(await startMs(folder));
console.table(
  folders.map((_, at) => ({
    'live videos': counts[at],
    'ready after, ms': Math.round(median(times[at])),
    'all, ms': times[at].map(Math.round).join(' '),
  })),
);
process.exit(0);

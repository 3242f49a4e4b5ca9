// node bench/http.mjs [--seconds 4] [--rounds 3] [--connections 32] [--records 10] [--redis redis://…]
// GET /{live-video-id}/errors against bare Express that answers with the same bytes, turn by turn in one run. Only the
// ratio means something. Both run alone in a process; CPU is that of the server, read from /proc where there is one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { cpuSeconds, family } from './lib/measure.mjs';
import { faults, ROOT, serverFolder, startAirlock, stop, withStore } from './lib/server.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    records: { type: 'string', default: '10' },
    redis: { type: 'string' },
  },
});
const folder = serverFolder(options.redis);

/** Of a server with all its processes. */
const cpuOf = (pid) => family(pid).reduce((sum, member) => sum + cpuSeconds(member), 0);

async function load(origin, path, headers, pid, seconds) {
  const pool = new Pool(origin, { connections: Number(options.connections), pipelining: 1 });
  const before = cpuOf(pid);
  const started = performance.now();
  const until = started + seconds * 1000;
  let requests = 0;
  const worker = async () => {
    while (performance.now() < until) {
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(options.connections) }, worker));
  const elapsed = (performance.now() - started) / 1000;
  const cpu = cpuOf(pid) - before;
  await pool.close();
  return { perSecond: requests / elapsed, cpuMicroseconds: (cpu / requests) * 1e6 };
}

const first = await startAirlock(folder);
await stop(first.child);
await withStore(folder, (store) =>
  store.records.append(faults(first.quickstart.live_video_id, 1, Number(options.records))),
);
const { child, quickstart } = await startAirlock(folder);
const path = `/${quickstart.live_video_id}/errors`;
const headers = { authorization: `Bearer ${quickstart.access_token}` };
const answer = await (await fetch(quickstart.http_url + path, { headers })).text();
const bodyFile = join(folder.path, 'body.json');
writeFileSync(bodyFile, answer);
const bare = spawn(process.execPath, [join(ROOT, 'bench', 'servers', 'express.mjs'), bodyFile], {
  env: { ...process.env, NODE_ENV: 'production' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = await once(bare.stdout, 'data');
const subjects = [
  { name: 'bare Express', origin: `http://127.0.0.1:${String(port).trim()}`, pid: bare.pid, headers: {} },
  {
    name: options.redis ? 'airlock on Redis' : 'airlock on LMDB',
    origin: quickstart.http_url,
    pid: child.pid,
    headers,
  },
];
const totals = new Map(subjects.map(({ name }) => [name, []]));
try {
  for (const subject of subjects) await load(subject.origin, path, subject.headers, subject.pid, 1);
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const subject of subjects) {
      totals
        .get(subject.name)
        .push(await load(subject.origin, path, subject.headers, subject.pid, Number(options.seconds)));
    }
  }
} finally {
  await stop(child);
  await stop(bare);
  folder.remove();
}
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const rows = subjects.map(({ name }) => ({
  server: name,
  'requests/s': median(totals.get(name).map((each) => each.perSecond)),
  'CPU us/request': median(totals.get(name).map((each) => each.cpuMicroseconds)),
}));
console.log(`GET ${options.records} error records, ${answer.length} bytes, ${options.connections} connections`);
console.table(
  rows.map((row) => ({
    server: row.server,
    'requests/s': row['requests/s'].toFixed(0),
    'CPU us/request': row['CPU us/request'].toFixed(0),
    'of bare Express': (row['requests/s'] / rows[0]['requests/s']).toFixed(2),
    'by CPU': (rows[0]['CPU us/request'] / row['CPU us/request']).toFixed(2),
  })),
);

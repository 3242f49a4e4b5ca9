// node bench/http.mjs [--seconds 4] [--rounds 3] [--connections 32] [--records 10] [--redis redis://…]
// GET /{live-video-id}/errors against bare Express that answers with the same bytes, turn by turn in one run. Only the
// ratio means something. Both run alone in a process; CPU is that of the server, read from /proc where there is one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { cpuSeconds } from './lib/measure.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    records: { type: 'string', default: '10' },
    redis: { type: 'string' },
  },
});
const ROOT = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'airlock-bench-http-'));
const env = {
  ...process.env,
  AIRLOCK_DATA_DIR: join(scratch, 'data'),
  AIRLOCK_CERTS_DIR: join(scratch, 'certs'),
  AIRLOCK_RTMPS_PORT: '0',
  AIRLOCK_HTTP_PORT: '0',
  AIRLOCK_LOG_LEVEL: 'warn',
  ...(options.redis ? { REDIS_URL: options.redis } : {}),
};

async function startAirlock() {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const file = join(scratch, 'data', 'quickstart.json');
  for await (const _line of child.stdout) {
    if (!existsSync(file)) continue;
    const quickstart = JSON.parse(readFileSync(file, 'utf8'));
    try {
      await fetch(`${quickstart.http_url}/healthz`);
      return { child, quickstart };
    } catch {
      // Not listening yet: the file is of an earlier start.
    }
  }
  throw new Error('airlock did not start');
}

async function stop(child) {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

/** Fault records of the quickstart's live video, written as the journal would. */
async function addRecords(liveVideoId, count) {
  const { openStore } = await import(join(ROOT, 'dist', 'store', 'open.js'));
  const clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };
  const nothing = () => undefined;
  const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => quiet };
  const store = await openStore({ dataDir: env.AIRLOCK_DATA_DIR, redisUrl: options.redis, log: quiet, clock });
  const packet = { kind: 'video', decodeTimeMs: 4050, presentationTimeMs: 4083, messageNumber: 7, byteOffset: 9000 };
  const entries = Array.from({ length: count }, (_, index) => ({
    broadcastId: liveVideoId,
    fence: 1,
    number: index + 1,
    change: {
      change: 'raised',
      body: {
        id: `${liveVideoId}_1_${index + 1}`,
        error_code: 6208,
        error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
        error_type: 'KEY_FRAME_INTERVAL_TOO_LONG',
        description: '[6208 KEY_FRAME_INTERVAL_TOO_LONG] 6.0 s between key frames, the bound is 4 s. Set it to 2 s.',
        severity: 'error',
        timestampMs: Date.now(),
        stream_time_ms: 4050,
        observed: 6000,
        worst: 6000,
        limit: 4000,
        unit: 'ms',
        clause: 'Key frame interval',
        remediation: 'Set the key frame interval to 2 s.',
        cleared_time_ms: null,
        count: 1,
        evidence: { first: packet, last: packet },
        source: 'stream',
      },
    },
  }));
  await store.append(entries);
  await store.close();
}

async function load(origin, path, headers, pid, seconds) {
  const pool = new Pool(origin, { connections: Number(options.connections), pipelining: 1 });
  const before = cpuSeconds(pid);
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
  const cpu = cpuSeconds(pid) - before;
  await pool.close();
  return { perSecond: requests / elapsed, cpuMicroseconds: (cpu / requests) * 1e6 };
}

const first = await startAirlock();
await stop(first.child);
await addRecords(first.quickstart.live_video_id, Number(options.records));
const { child, quickstart } = await startAirlock();
const path = `/${quickstart.live_video_id}/errors`;
const headers = { authorization: `Bearer ${quickstart.access_token}` };
const answer = await (await fetch(quickstart.http_url + path, { headers })).text();
const bodyFile = join(scratch, 'body.json');
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
  rmSync(scratch, { recursive: true, force: true });
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

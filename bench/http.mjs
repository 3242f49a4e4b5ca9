// node bench/http.mjs [--seconds 4] [--rounds 3] [--connections 32] [--records 10] [--publishers 0] [--redis redis://…] [--only 'ten fields']
// GET /{live-video-id}/errors, and ten fields of the live video, against bare Express that answers with the same bytes, turn by
// turn in one run, and the times at half of the rate. Only ratios mean something. CPU is that of all processes of a server,
// read from /proc; beside publishers it is that of the process that answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { content } from './lib/flv.mjs';
import { httpLoad, READS } from './lib/http-load.mjs';
import { startPublishers } from './lib/load.mjs';
import { cpuSeconds, family, median, titleOf } from './lib/measure.mjs';
import { faults, ROOT, serverFolder, startAirlock, stop, withStore } from './lib/server.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    records: { type: 'string', default: '10' },
    publishers: { type: 'string', default: '0' },
    profile: { type: 'string', default: '1080p30' },
    redis: { type: 'string' },
    only: { type: 'string' },
  },
});
const [seconds, rounds, connections, publishers] = ['seconds', 'rounds', 'connections', 'publishers'].map((name) =>
  Number(options[name]),
);
const folder = serverFolder(options.redis);
folder.env.AIRLOCK_RECORD = 'off';

/** Of a server with all its processes, or of the one that answers. */
function cpuOf(pid) {
  const members =
    publishers === 0 ? family(pid) : family(pid).filter((each) => /airlock-web|express/.test(titleOf(each)));
  return members.reduce((sum, member) => sum + cpuSeconds(member), 0);
}

async function measured({ origin, path, headers, pid }, load) {
  const before = cpuOf(pid);
  const { perSecond, times } = await httpLoad({ origin, paths: [path], headers, connections, ...load });
  return { perSecond, times, cpuMicroseconds: ((cpuOf(pid) - before) / times.length) * 1e6 };
}

/** Bare Express that answers with what Airlock answered. */
async function bareExpress(name, { origin, path, headers }) {
  const answer = await (await fetch(origin + path, { headers })).text();
  const bodyFile = join(folder.path, `${name}.json`);
  writeFileSync(bodyFile, answer);
  const child = spawn(process.execPath, [join(ROOT, 'bench', 'servers', 'express.mjs'), bodyFile], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  return { child, origin: `http://127.0.0.1:${String(port).trim()}`, path, headers: {}, pid: child.pid };
}

async function createLives({ http_url: url, access_token: token, page_id: page }, count) {
  const keys = [];
  while (keys.length < count) {
    const answer = await fetch(`${url}/${page}/live_videos`, {
      method: 'POST',
      body: new URLSearchParams({ access_token: token, status: 'LIVE_NOW', fields: 'secure_stream_url' }),
    });
    const { secure_stream_url: address } = await answer.json();
    keys.push(address.slice(address.lastIndexOf('/') + 1));
  }
  return keys;
}

const first = await startAirlock(folder);
await stop(first.child);
await withStore(folder, (store) =>
  store.records.append(faults(first.quickstart.live_video_id, 1, Number(options.records))),
);
const { child, quickstart } = await startAirlock(folder);
const id = quickstart.live_video_id;
const airlock = {
  origin: quickstart.http_url,
  headers: { authorization: `Bearer ${quickstart.access_token}` },
  pid: child.pid,
};
const pairs = [];
for (const { name, pathOf } of READS) {
  if (options.only !== undefined && options.only !== name) continue;
  const own = { ...airlock, path: pathOf(id) };
  pairs.push({ name, bare: await bareExpress(pairs.length, own), airlock: own, totals: { bare: [], airlock: [] } });
}
let load;
try {
  if (publishers > 0) {
    content(options.profile);
    const keys = await createLives(quickstart, publishers);
    load = await startPublishers(
      { port: quickstart.rtmps_port, keys },
      { publishers, seconds: 24 * 3600, warmupSeconds: 0, profile: options.profile },
    );
    load.go();
  }
  for (const pair of pairs) for (const kind of ['bare', 'airlock']) await measured(pair[kind], { seconds: 2 });
  for (let round = 0; round < rounds; round += 1) {
    for (const pair of pairs)
      for (const kind of ['bare', 'airlock']) pair.totals[kind].push(await measured(pair[kind], { seconds }));
  }
  const rate = (pair, kind) => median(pair.totals[kind].map((each) => each.perSecond));
  const cpu = (pair, kind) => median(pair.totals[kind].map((each) => each.cpuMicroseconds));
  const rows = [];
  for (const pair of pairs) {
    const perSecond = rate(pair, 'airlock') / 2;
    const atHalf = async (kind) => {
      const { times } = await measured(pair[kind], { seconds: Math.max(seconds, 4), perSecond });
      return times.toSorted((a, b) => a - b);
    };
    const [bare, sorted] = [await atHalf('bare'), await atHalf('airlock')];
    rows.push({
      GET: pair.name,
      'Express, 1/s': rate(pair, 'bare').toFixed(0),
      'Airlock, 1/s': rate(pair, 'airlock').toFixed(0),
      ratio: (rate(pair, 'airlock') / rate(pair, 'bare')).toFixed(2),
      rounds: pair.totals.airlock
        .map(({ perSecond }, i) => (perSecond / pair.totals.bare[i].perSecond).toFixed(2))
        .join(' '),
      'Express, CPU us': cpu(pair, 'bare').toFixed(0),
      'Airlock, CPU us': cpu(pair, 'airlock').toFixed(0),
      'p50 at half, ms': sorted[Math.floor(sorted.length / 2)].toFixed(1),
      'Express, p99 at that rate': bare[Math.floor(bare.length * 0.99)].toFixed(1),
      'p99 at half, ms': sorted[Math.floor(sorted.length * 0.99)].toFixed(1),
    });
  }
  const store = options.redis ? 'Redis' : 'LMDB';
  console.log(`${store}, ${connections} connections, beside ${publishers} publishers, medians of ${rounds} rounds`);
  console.table(rows);
} finally {
  load?.stop();
  await stop(child);
  for (const { bare } of pairs) await stop(bare.child);
  folder.remove();
}

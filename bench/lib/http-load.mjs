// Load on an HTTP server, in this process or, with `startHttpLoad`, in one of its own.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { nextMessage } from './measure.mjs';
import { ours } from './processes.mjs';

const FIELDS =
  'id,title,description,status,creation_time,permalink_url,stream_state,health_status,seconds_left,secure_stream_url';

/** What dashboards and monitoring ask most: the errors of a live video, and ten fields of it. */
export const READS = [
  { name: 'error records', pathOf: (id) => `/${id}/errors` },
  { name: 'ten fields', pathOf: (id) => `/${id}?fields=${FIELDS}` },
];

/** A timer of Node fires up to a millisecond late, so requests are started in groups that are due together. */
const TICK_MS = 1;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Requests of `connections` clients, one after the other on each, or `perSecond` in all, each timed from when it was due.
 * Ends after `seconds`, or when `isOver()`. Resolves with requests a second and the times in milliseconds.
 */
export async function httpLoad({ origin, paths, headers = {}, connections, seconds, perSecond, isOver = () => false }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const times = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  const goesOn = () => performance.now() < until && !isOver();
  let next = 0;
  const one = async (dueAt) => {
    const { statusCode, body } = await pool.request({ path: paths[next++ % paths.length], method: 'GET', headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
    times.push(performance.now() - dueAt);
  };
  if (perSecond === undefined) {
    const client = async () => {
      while (goesOn()) await one(performance.now());
    };
    await Promise.all(Array.from({ length: connections }, client));
  } else {
    const sent = [];
    for (let count = 0; goesOn(); await sleep(TICK_MS)) {
      for (; started + (count * 1000) / perSecond <= performance.now(); count += 1)
        sent.push(one(started + (count * 1000) / perSecond));
    }
    await Promise.all(sent);
  }
  const elapsed = (performance.now() - started) / 1000;
  await pool.close();
  return { perSecond: times.length / elapsed, times };
}

/** The same in a process of its own, until `stop`, which resolves with its result. */
export async function startHttpLoad(load) {
  const child = ours(fork(fileURLToPath(import.meta.url), [JSON.stringify(load)]));
  await nextMessage(child, 'ready');
  return {
    async stop() {
      const done = nextMessage(child, 'done');
      child.send('stop');
      return done;
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let isOver = false;
  process.once('disconnect', () => process.exit());
  process.once('message', () => {
    isOver = true;
  });
  process.send({ ready: true });
  const done = await httpLoad({ seconds: 24 * 3600, ...JSON.parse(process.argv[2]), isOver: () => isOver });
  process.send({ done }, () => process.disconnect());
}

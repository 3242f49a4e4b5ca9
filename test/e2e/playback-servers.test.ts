/** Two servers that share a Redis, as behind a balancer: what one receives is watched at the other. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Airlock } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { FlvViewer } from '../support/playback-harness.js';
import { Publisher, paced } from '../support/publisher.js';
import { RedisServer } from '../support/redis-server.js';
import { synthStream } from '../support/synth-stream.js';

let redis: RedisServer;
const servers: Airlock[] = [];

/** One that other servers shall know before it listens. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function server(env: NodeJS.ProcessEnv): Promise<Airlock> {
  const shared = {
    REDIS_URL: redis.url,
    AIRLOCK_RECORD: 'off',
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
  };
  const airlock = await Airlock.start({ ...shared, ...env });
  servers.push(airlock);
  return airlock;
}

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(async () => {
  await Promise.all(servers.splice(0).map((airlock) => airlock.stop()));
  await redis.stop();
});

inFull('a viewer of one server watches a stream that another server receives', async () => {
  const port = String(await freePort());
  const receiving = await server({
    AIRLOCK_HTTP_PORT: port,
    AIRLOCK_HTTPS: 'on',
    AIRLOCK_INTERNAL_HTTP_URL: `https://127.0.0.1:${port}/`,
    AIRLOCK_WORKERS: '2',
    AIRLOCK_LOG_LEVEL: 'debug',
  });
  const serving = await server({ AIRLOCK_CERTS_DIR: `${receiving.folder}/certs`, AIRLOCK_QUICKSTART: 'on' });
  const live = await serving.createLive();
  const publisher = await Publisher.open(receiving, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  const { flv_path } = await serving.until(
    () => serving.get(`/playback/${live.id}`),
    (body) => body.flv_path !== undefined,
  );
  const viewer = await serving.until(
    async () => {
      const opened = new FlvViewer(serving.quickstart.http_url + flv_path);
      await opened.until(() => opened.status !== 0 || opened.ended);
      return opened;
    },
    ({ status }) => status === 200,
  );
  await viewer.until(() => viewer.frames.length >= 60);
  await serving.until(
    () => serving.get(`/${live.id}`, { fields: 'live_views' }),
    (body) => body.live_views === 1,
  );
  const metrics = await (await fetch(`${serving.quickstart.http_url}/metrics`)).text();
  expect(metrics).toContain('\nairlock_playback_forwarded 1\n');

  await serving.post(`/${live.id}`, { end_live_video: 'true' });
  await viewer.until(() => viewer.ended);
  // Told, and not found out after nothing came for a while.
  await receiving.until(
    async () => receiving.log,
    (log) => log.includes('"cause":"the broadcast has ended"'),
  );
  await sending;
  expect((await fetch(serving.quickstart.http_url + flv_path)).status).toBe(404);
});

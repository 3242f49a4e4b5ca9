/** What the server tells V8 about the connections that begin. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { CONNECTION_LIMITS } from '../../../../src/ingest/rtmp/limits.js';
import { RtmpServer } from '../../../../src/ingest/rtmp/server.js';
import { Places } from '../../../../src/lib/places.js';
import { Joiner } from '../../../../src/server/system/joined-log.js';
import { randomBytes } from '../../../../src/server/system/system.js';
import { IngestHarness } from '../../../support/ingest-harness.js';
import { until } from '../../../support/store-harness.js';

const ADDRESS = '127.0.0.1';
const settings = {
  maxConnections: 100,
  tlsInFront: false,
  readIntervalMs: 100,
  proxyProtocol: false,
  isProxy: () => false,
  isTrustedAddress: () => false,
};

test('code is optimized soon, except while many connections begin at once', async () => {
  const harness = await IngestHarness.open();
  const told: boolean[] = [];
  const rtmp = new RtmpServer(harness.engine, {
    ...harness.deps,
    strangers: new Joiner(harness.deps).log(),
    refusals: { add: () => undefined },
    randomBytes,
    optimizeSoon: (isSoon) => told.push(isSoon),
    settings,
  });
  expect(told).toEqual([true]);
  const places = new Places({ perAddress: 100, total: 100 }, () => false);
  const server = createServer((socket) => {
    const place = places.take(ADDRESS, () => socket.destroy());
    if (typeof place !== 'string') rtmp.accept(socket, { address: ADDRESS, peer: ADDRESS, place }, false);
  }).listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const encoders: Socket[] = [];
  const begin = () => encoders.push(connect(port, ADDRESS).on('error', () => undefined));
  const tick = () => rtmp.tick(harness.clock.monotonicMs());
  while (encoders.length < CONNECTION_LIMITS.herd) begin();
  await until(() => rtmp.connections === CONNECTION_LIMITS.herd);
  tick();
  expect(told).toEqual([true]);
  begin();
  await until(() => rtmp.connections > CONNECTION_LIMITS.herd);
  expect(told).toEqual([true, false]);
  encoders[0]?.destroy();
  await until(() => rtmp.connections === CONNECTION_LIMITS.herd);
  tick();
  expect(told).toEqual([true, false, true]);
  for (const encoder of encoders) encoder.destroy();
  await until(() => rtmp.connections === 0);
  server.close();
  await harness.close();
});

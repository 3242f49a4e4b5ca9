import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { outOfOrderIn, readOutOfOrder } from '../../../../src/ingest/sockets/out-of-order.js';
import { socketKey } from '../../../../src/ingest/sockets/receive-queues.js';

const LIST = `0 0 10.213.77.1:1936 10.213.77.2:43258 bbr wscale:10,10 rto:204 rtt:0.1/0.05 bytes_received:371 rcv_ooopack:64 minrtt:0.019
0      0      10.213.77.1:1936 10.213.77.3:43258 bbr rto:204 rcv_ooopack:3
ESTAB 0 12 [::ffff:10.213.77.1]:1936 [::ffff:10.213.77.2]:43260 cubic rto:204 rcv_space:65483
`;

test('reads the segments of each connection, and the fewest of those that share both ports', () => {
  expect([...outOfOrderIn(LIST)]).toEqual([
    [socketKey(1936, 43_258), 3],
    [socketKey(1936, 43_260), 0],
  ]);
});

test('reads nothing where ss does not answer with connections', () => {
  expect(outOfOrderIn('Error: an inet prefix is expected\n').size).toBe(0);
});

test('asks for given connections only, and is empty without ss', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  const [first] = (await once(server, 'connection')) as [Socket];
  const key = socketKey(first.localPort ?? 0, first.remotePort ?? 0);
  const found = await readOutOfOrder([key]);
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  const none = await readOutOfOrder([key]);
  process.env.PATH = path;
  for (const client of clients) client.destroy();
  first.destroy();
  server.close();
  expect([...found.values()].every((count) => count === 0)).toBe(true);
  expect([...found.keys()].every((each) => each === key)).toBe(true);
  expect(none.size).toBe(0);
});

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import {
  outOfOrderIn,
  readOutOfOrder,
  readWaiting,
  socketKey,
  waitingIn,
} from '../../../../src/ingest/sockets/kernel-queues.js';

const LIST = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0790 00000000:0000 0A 00000000:00000080 00:00000000 00000000     0        0 4063377 1 00000000283daca3 100 0 0 10 0
   1: 0100007F:0790 0200007F:C001 01 00000000:0001E240 00:00000000 00000000     0        0 4063378 1 0000000049f25092 20 4 30 10 -1
   2: 0100007F:0790 0300007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 4063379 1 0000000049f25092 20 4 30 10 -1
   3: 0100007F:0790 0200007F:C002 01 00000010:000003E8 02:00000A5B 00000000     0        0 4063380 2 0000000049f25092 20 4 30 10 -1
`;
const LIST_6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:0790 0000000000000000FFFF00000100007F:C003 01 00000000:00000007 00:00000000 00000000     0        0 4063381 1 0000000000000000 20 4 30 10 -1
`;

test('reads the bytes of connected sockets, and the fewest of those that share both ports', () => {
  const waiting = waitingIn(LIST_6, waitingIn(LIST));
  expect([...waiting]).toEqual([
    [socketKey(1936, 49_153), 0],
    [socketKey(1936, 49_154), 1000],
    [socketKey(1936, 49_155), 7],
  ]);
});

test('leaves out a list that is too long', () => {
  expect(waitingIn(LIST.repeat(8000)).size).toBe(0);
});

const isLinux = process.platform === 'linux';

test('finds what a real socket has not read', async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = connect(port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  await new Promise<void>((resolve) => client.write(Buffer.alloc(10_000), () => resolve()));
  const key = socketKey(accepted.localPort ?? 0, accepted.remotePort ?? 0);
  let bytes: number | undefined;
  do bytes = (await readWaiting())?.get(key);
  while (isLinux && bytes !== 10_000);
  client.destroy();
  accepted.destroy();
  server.close();
  expect(bytes).toBe(isLinux ? 10_000 : undefined);
});

const SEGMENTS = `0 0 10.213.77.1:1936 10.213.77.2:43258 bbr wscale:10,10 rto:204 rtt:0.1/0.05 bytes_received:371 rcv_ooopack:64 minrtt:0.019
0      0      10.213.77.1:1936 10.213.77.3:43258 bbr rto:204 rcv_ooopack:3
ESTAB 0 12 [::ffff:10.213.77.1]:1936 [::ffff:10.213.77.2]:43260 cubic rto:204 rcv_space:65483
`;

test('reads the segments of each connection, and the fewest of those that share both ports', () => {
  expect([...outOfOrderIn(SEGMENTS)]).toEqual([
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

/** Connections that another process accepted. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { SOCKET_LIMITS } from '../../../../src/ingest/sockets/limits.js';
import { Listener } from '../../../../src/ingest/sockets/listener.js';
import { Places } from '../../../../src/lib/places.js';
import { closeOf } from '../../../support/sockets.js';
import { memoryLog } from '../../../support/store-harness.js';

const { beginPerTurn } = SOCKET_LIMITS;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function stand(maxConnections: number) {
  const begun: Socket[] = [];
  const refused: string[] = [];
  const listener = new Listener({
    places: new Places({ perAddress: maxConnections, total: maxConnections }, () => true),
    log: memoryLog(),
    protocol: {
      accept: (socket) => begun.push(socket),
      refused: ({ reason }) => refused.push(reason),
      left: () => undefined,
    },
  });
  return { listener, begun, refused };
}

test('a herd begins in order, some in each turn of the loop', async () => {
  const { listener, begun } = stand(1_000);
  const sockets = Array.from({ length: 2 * beginPerTurn + 1 }, () => new Socket());
  for (const socket of sockets) listener.take(socket);
  expect(begun).toEqual([]);
  for (const count of [beginPerTurn, 2 * beginPerTurn, sockets.length]) {
    await nextTurn();
    expect(begun).toEqual(sockets.slice(0, count));
  }
});

test('a connection that ended while it waited does not begin', async () => {
  const { listener, begun } = stand(1_000);
  const [gone, other] = [new Socket(), new Socket()];
  listener.take(gone);
  listener.take(other);
  gone.destroy();
  await nextTurn();
  expect(begun).toEqual([other]);
});

test('a connection that makes room during its TLS handshake is told once, without a failed handshake', async () => {
  const refused: string[] = [];
  const listener = new Listener({
    places: new Places({ perAddress: 1, total: 1 }, () => true),
    tls: { cert: '', key: '', maxVersion: 'TLSv1.3' },
    log: memoryLog(),
    protocol: {
      accept: () => undefined,
      refused: ({ reason, code = '' }) => refused.push(`${reason} ${code}`.trim()),
      left: () => undefined,
    },
  });
  const server = createServer((socket) => listener.take(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1').resume();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const silent = await open();
  const lost = closeOf(silent);
  const faulty = await open();
  await lost;
  const closed = closeOf(faulty);
  faulty.write(Buffer.alloc(64, 0xff));
  await closed;
  expect(refused).toEqual(['place-taken', 'tls-handshake ERR_SSL_WRONG_VERSION_NUMBER']);
  await new Promise((resolve) => server.close(resolve));
});

test('those that wait count as connections, and the oldest makes room', async () => {
  const { listener, begun, refused } = stand(1);
  const [first, second] = [new Socket(), new Socket()];
  listener.take(first);
  listener.take(second);
  await nextTurn();
  expect([begun, refused, first.destroyed]).toEqual([[second], ['place-taken'], true]);
});

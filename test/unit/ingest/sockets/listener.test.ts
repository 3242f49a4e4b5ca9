/** Connections that another process accepted. */
import { Socket } from 'node:net';
import { SOCKET_LIMITS } from '../../../../src/ingest/sockets/limits.js';
import { Listener } from '../../../../src/ingest/sockets/listener.js';
import { Places } from '../../../../src/lib/places.js';
import { memoryLog } from '../../../support/store-harness.js';

const { beginPerTurn } = SOCKET_LIMITS;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function stand(maxConnections: number) {
  const begun: Socket[] = [];
  const refused: string[] = [];
  const listener = new Listener({
    host: '127.0.0.1',
    port: 0,
    places: new Places({ perAddress: maxConnections, total: maxConnections }, () => true),
    log: memoryLog(),
    onSocket: (socket) => begun.push(socket),
    onRefused: ({ reason }) => refused.push(reason),
    onLeft: () => undefined,
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

test('those that wait count as connections, and the oldest makes room', async () => {
  const { listener, begun, refused } = stand(1);
  const [first, second] = [new Socket(), new Socket()];
  listener.take(first);
  listener.take(second);
  await nextTurn();
  expect([begun, refused, first.destroyed]).toEqual([[second], ['place-taken'], true]);
});

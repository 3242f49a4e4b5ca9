/** Connections that arrive while no process can take them. */
import { Socket } from 'node:net';
import { WAITING_LIMITS } from '../../../../src/server/supervisor/limits.js';
import { PublicPort } from '../../../../src/server/supervisor/public-port.js';
import { closeOf } from '../../../support/sockets.js';
import { memoryLog } from '../../../support/store-harness.js';

const { waitingPerAddress } = WAITING_LIMITS;
const BEYOND = 4;

/** A port whose process is not ready until `ready` is called. */
function stand(options: { readonly waiting: number; readonly isShared: boolean }) {
  let isReady = false;
  const given: Socket[] = [];
  const port = new PublicPort({
    host: '127.0.0.1',
    port: 0,
    protocol: 'RTMP',
    log: memoryLog(),
    waiting: options.waiting,
    isShared: () => options.isShared,
    give: (socket) => {
      if (isReady) given.push(socket);
      return isReady;
    },
  });
  const arrive = (count: number): Socket[] => {
    const sockets = Array.from({ length: count }, () => new Socket());
    for (const socket of sockets) port.accept(socket);
    return sockets;
  };
  const hasRoom = () => {
    isReady = true;
  };
  const ready = () => {
    hasRoom();
    port.giveWaiting();
  };
  return { port, given, arrive, hasRoom, ready };
}

const isRefused = (socket: Socket) => socket.destroyed;

test('one address cannot use up the places of the others', () => {
  const { port, given, arrive, ready } = stand({ waiting: 10 * waitingPerAddress, isShared: false });
  const sockets = arrive(waitingPerAddress + BEYOND);
  expect(sockets.filter(isRefused)).toEqual(sockets.slice(0, BEYOND));
  ready();
  expect(given).toEqual(sockets.slice(BEYOND));
  port.close();
});

test('behind a trusted proxy, or on this machine, every encoder waits until the port is full', () => {
  const waiting = 4 * waitingPerAddress;
  const { port, given, arrive, ready } = stand({ waiting, isShared: true });
  const sockets = arrive(waiting + BEYOND);
  expect(sockets.filter(isRefused)).toEqual(sockets.slice(0, BEYOND));
  ready();
  expect(given).toEqual(sockets.slice(BEYOND));
  port.close();
});

test('the place of a connection that ends is free again', async () => {
  const { port, arrive } = stand({ waiting: 10 * waitingPerAddress, isShared: false });
  const [first, second] = arrive(waitingPerAddress);
  const closed = closeOf(first ?? new Socket());
  first?.destroy();
  await closed;
  arrive(1);
  expect(second?.destroyed).toBe(false);
  arrive(1);
  expect(second?.destroyed).toBe(true);
  port.close();
});

test('a new connection does not overtake those that wait', () => {
  const { port, given, arrive, hasRoom, ready } = stand({ waiting: 10, isShared: true });
  const early = arrive(2);
  hasRoom();
  const late = arrive(1);
  ready();
  expect(given).toEqual([...early, ...late]);
  port.close();
});

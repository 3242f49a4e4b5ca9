import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { HttpPlaces } from '../../../../src/server/http/places.js';

let server: Server;
let places: HttpPlaces;
const peers: Socket[] = [];

/** What the server made of one connection from this address. */
async function open(from: string): Promise<{ admitted: boolean; socket: Socket }> {
  const accepted = once(server, 'answer');
  const peer = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress: from });
  peer.on('error', () => undefined);
  peers.push(peer);
  const [admitted, socket] = (await accepted) as [boolean, Socket];
  return { admitted, socket };
}

beforeEach(async () => {
  places = new HttpPlaces({ perAddress: 2, total: 4 }, (address) => address === '127.0.0.9');
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    server.emit('answer', places.admit(socket), socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('closes the longest idle socket of an address beyond its bound', async () => {
  const [first, second] = [await open('127.0.0.2'), await open('127.0.0.2')];
  places.requestBegins(first.socket);
  places.requestEnds(first.socket);
  const third = await open('127.0.0.2');
  expect([first, second, third].map(({ socket }) => socket.destroyed)).toEqual([false, true, false]);
  expect(places.refused).toBe(1);
});

test('refuses a socket while all others of its address have pending requests, and admits one afterwards', async () => {
  const [first, second] = [await open('127.0.0.2'), await open('127.0.0.2')];
  for (const { socket } of [first, second]) places.requestBegins(socket);
  const third = await open('127.0.0.2');
  expect([third.admitted, third.socket.destroyed]).toEqual([false, true]);
  expect((await open('127.0.0.3')).admitted).toBe(true);
  first.socket.destroy();
  await once(first.socket, 'close');
  expect((await open('127.0.0.2')).admitted).toBe(true);
  expect(second.socket.destroyed).toBe(false);
});

test('at the total bound, closes a socket of the address with the most sockets', async () => {
  const many = [await open('127.0.0.2'), await open('127.0.0.2')];
  const few = [await open('127.0.0.3'), await open('127.0.0.4')];
  const newcomer = await open('127.0.0.5');
  expect([...many, ...few, newcomer].map(({ socket }) => socket.destroyed)).toEqual([true, false, false, false, false]);
});

test('a declared proxy is limited only by the total bound', async () => {
  const proxied = [await open('127.0.0.9'), await open('127.0.0.9'), await open('127.0.0.9'), await open('127.0.0.9')];
  expect(proxied.map(({ admitted }) => admitted)).toEqual([true, true, true, true]);
  for (const { socket } of proxied) places.requestBegins(socket);
  expect((await open('127.0.0.9')).admitted).toBe(false);
});

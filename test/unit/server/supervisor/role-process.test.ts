/** Sockets that are handed to a process which ends before it takes them, or is stopped. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RoleOwner, RoleProcess } from '../../../../src/server/supervisor/role-process.js';
import { idleOwner } from '../../../support/idle-owner.js';
import { memoryLog, until } from '../../../support/store-harness.js';

/** Is ready, and then takes nothing. */
const WAITS = `
process.on('message', () => {});
process.send({ type: 'ready' }, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
`;
/** Is ready, and says so again whenever it is asked. */
const ANSWERS = `
process.on('message', () => process.send({ type: 'pong' }));
process.send({ type: 'ready' });
`;
const COUNT = 3;

let folder: string;
let server: Server;
const accepted: Socket[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-role-'));
  server = createServer({ pauseOnConnect: true }, (socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await until(() => server.listening);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function fork(code: string, owner: RoleOwner = idleOwner()): RoleProcess {
  const script = join(folder, 'role.mjs');
  writeFileSync(script, code);
  return new RoleProcess({ id: 1, role: 'ingest', script, log: memoryLog(), owner });
}

/** The ends of the clients, once their connections are accepted. */
async function clients(count: number): Promise<Socket[]> {
  accepted.length = 0;
  const made = Array.from({ length: count }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  await until(() => accepted.length === count);
  return made;
}

test('a process that ends before it takes its sockets leaves all of them, open', async () => {
  const role = fork(WAITS);
  await role.ready;
  const made = await clients(COUNT);
  expect(accepted.map((socket) => role.take({ port: 'rtmps', socket }))).toEqual(Array(COUNT).fill(true));
  role.kill('SIGKILL');
  const left = await role.exited;

  const heard = made.map((client) => new Promise((resolve) => client.once('data', resolve)));
  expect(left.map(({ port }) => port)).toEqual(Array(COUNT).fill('rtmps'));
  for (const { socket } of left) socket.write('x');
  expect((await Promise.all(heard)).map(String)).toEqual(Array(COUNT).fill('x'));
  for (const socket of [...made, ...accepted]) socket.destroy();
});

test('a stopped process is given no socket, and asks for those that wait when it goes on', async () => {
  let rooms = 0;
  const role = fork(ANSWERS, { ...idleOwner(), giveWaiting: () => void rooms++ });
  await role.ready;
  const made = await clients(1);
  const give = () => role.take({ port: 'rtmps', socket: accepted[0] as Socket });
  role.kill('SIGSTOP');
  await until(() => role.isStopped);
  expect([give(), rooms]).toEqual([false, 0]);
  role.ping();
  role.kill('SIGCONT');
  await until(() => rooms === 1);
  expect(give()).toBe(true);
  role.kill('SIGKILL');
  await role.exited;
  for (const socket of [...made, ...accepted]) socket.destroy();
});

test('an ingest process that is stopped at two pings in a row is ended', async () => {
  const role = fork(ANSWERS);
  await role.ready;
  role.kill('SIGSTOP');
  await until(() => role.isStopped);
  role.ping();
  expect(role.isReady).toBe(true);
  role.ping();
  await role.exited;
});

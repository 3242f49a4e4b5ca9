/** Sockets that are handed to a process which ends before it takes them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accepted, RoleProcess } from '../../../../src/server/supervisor/role-process.js';
import { memoryLog, until } from '../../../support/store-harness.js';

/** Is ready, and then stands still. */
const SCRIPT = `
process.on('message', () => {});
process.send({ type: 'ready' }, () => process.kill(process.pid, 'SIGSTOP'));
`;
const COUNT = 3;

test('a process that ends before it takes its sockets leaves all of them, open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-role-'));
  const script = join(folder, 'role.mjs');
  writeFileSync(script, SCRIPT);
  const left: Accepted[] = [];
  const role = new RoleProcess({
    id: 1,
    role: 'ingest',
    script,
    log: memoryLog(),
    onRoom: () => undefined,
    onLeft: (accepted) => left.push(accepted),
    onMessage: () => undefined,
    onExit: () => undefined,
    onOrder: () => undefined,
    usage: () => ({ residentBytes: 0, heapBytes: 0, cpuSeconds: 0, loopDelaySeconds: 0, logLinesDropped: 0 }),
  });
  await role.ready;
  const accepted: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await until(() => server.listening);
  const clients = Array.from({ length: COUNT }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  await until(() => accepted.length === COUNT);
  expect(accepted.map((socket) => role.take({ port: 'rtmps', socket }))).toEqual(Array(COUNT).fill(true));
  role.kill('SIGKILL');
  await role.exited;

  const heard = clients.map((client) => new Promise((resolve) => client.once('data', resolve)));
  expect(left.map(({ port }) => port)).toEqual(Array(COUNT).fill('rtmps'));
  for (const { socket } of left) socket.write('x');
  expect((await Promise.all(heard)).map(String)).toEqual(Array(COUNT).fill('x'));
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

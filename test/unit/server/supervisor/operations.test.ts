/** The supervisor replaces its processes by the code that is on the disk. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROTOCOL } from '../../../../src/server/supervisor/messages.js';
import { Operations } from '../../../../src/server/supervisor/operations.js';
import { RoleProcess } from '../../../../src/server/supervisor/role-process.js';
import { Slot } from '../../../../src/server/supervisor/slot.js';
import { idleOwner } from '../../../support/idle-owner.js';
import { memoryLog, until } from '../../../support/store-harness.js';

/** Starts, names its version, and ends when it is asked to. */
const script = (version: string) => `
process.on('message', ({ type }) => {
  if (type === 'start') process.send({ type: 'ready', holder: '${version}' });
  if (type === 'drain') process.send({ type: 'drained' });
  if (type === 'stop') process.exit(0);
});
process.send({ type: 'loaded' });
`;

let folder: string;
let path: string;
let slots: Slot[];
let operations: Operations;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-slots-'));
  path = join(folder, 'role.mjs');
  writeFileSync(path, script('old'));
  const log = memoryLog();
  slots = (['store', 'ingest'] as const).map(
    (role) =>
      new Slot({
        role,
        log,
        owner: {
          fork: () => new RoleProcess({ id: 1, role, script: path, log, owner: idleOwner() }),
          begin: (child) => {
            const ports = { rtmpsPort: 0, rtmpPort: undefined, httpPort: 0 };
            child.start({ type: 'start', protocol: PROTOCOL, ports, settings: {} as never });
          },
          tellChange: () => undefined,
        },
      }),
  );
  operations = new Operations({ slots, drainS: 30, log, closeStreamPorts: () => undefined });
  await Promise.all(slots.map((slot) => slot.start()));
});
afterEach(async () => {
  operations.stop();
  await Promise.all(slots.map((slot) => slot.stop(5_000)));
  rmSync(folder, { recursive: true });
});

const versions = () => slots.map(({ ready }) => ready?.holder);

test('a reload replaces every process by the code on the disk', async () => {
  const before = slots.map(({ ready }) => ready?.pid);
  writeFileSync(path, script('new'));
  operations.reload();
  await until(() => operations.state.reload.state !== 'running');
  expect(operations.state.reload).toEqual({ state: 'done', replaced: ['ingest', 'store'] });
  expect(versions()).toEqual(['new', 'new']);
  expect(slots.map(({ ready }) => ready?.pid).filter((pid) => before.includes(pid))).toEqual([]);
  expect(slots.map(({ restarts }) => restarts)).toEqual([0, 0]);
});

test('a version that does not start replaces nothing', async () => {
  writeFileSync(path, 'process.exit(7);');
  operations.reload();
  await until(() => operations.state.reload.state !== 'running');
  expect(operations.state.reload).toEqual({
    state: 'failed',
    replaced: [],
    reason: expect.stringMatching(/ended with 7/),
  });
  expect(versions()).toEqual(['old', 'old']);
});

test('a process that ends is started again after a reload', async () => {
  operations.reload();
  await until(() => operations.state.reload.state === 'done');
  const [store] = slots;
  const first = store?.ready;
  first?.kill('SIGKILL');
  await until(() => store?.ready !== undefined && store.ready !== first);
  expect(store?.restarts).toBe(1);
});

test('a drain is over when each ingest process has answered', async () => {
  operations.drain();
  expect(operations.state.drain).toBe('running');
  await until(() => operations.state.drain === 'done');
});

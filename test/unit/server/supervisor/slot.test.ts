/** A process of a role that runs while it is needed: it rests, and is called. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROTOCOL } from '../../../../src/server/supervisor/messages.js';
import { RoleProcess } from '../../../../src/server/supervisor/role-process.js';
import { Slot } from '../../../../src/server/supervisor/slot.js';
import { idleOwner } from '../../../support/idle-owner.js';
import { memoryLog, until } from '../../../support/store-harness.js';

/** Ends when it is asked to, but not before the file is there. */
const script = (gate: string) => `
import { existsSync } from 'node:fs';
process.on('message', ({ type }) => {
  if (type === 'start') process.send({ type: 'ready' });
  if (type !== 'stop') return;
  const look = () => existsSync(${JSON.stringify(gate)}) ? process.exit(0) : setTimeout(look, 5);
  look();
});
process.send({ type: 'loaded' });
`;

let folder: string;
let slot: Slot;
let forked: RoleProcess[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-slot-'));
  const path = join(folder, 'role.mjs');
  writeFileSync(path, script(join(folder, 'gate')));
  const log = memoryLog();
  forked = [];
  slot = new Slot({
    role: 'media',
    log,
    owner: {
      fork: (role) => {
        const child = new RoleProcess({ id: forked.length + 1, role, script: path, log, owner: idleOwner() });
        forked.push(child);
        return child;
      },
      begin: (child) =>
        child.start({
          type: 'start',
          protocol: PROTOCOL,
          ports: { rtmpsPort: 0, rtmpPort: undefined, httpPort: 0 },
          settings: {} as never,
        }),
      tellChange: () => undefined,
    },
  });
  await slot.start();
});
afterEach(async () => {
  letEnd();
  await slot.stop(5_000);
  rmSync(folder, { recursive: true });
});

const letEnd = () => writeFileSync(join(folder, 'gate'), '');
function first(): RoleProcess {
  const [process] = forked;
  if (process === undefined) throw new Error('nothing was forked');
  return process;
}

test('a process that rests takes no work from then on, is idle, and is no fault', async () => {
  expect([slot.isIdle, slot.ready]).toEqual([false, first()]);
  slot.rest(first(), 5_000);
  expect([slot.isIdle, slot.ready]).toEqual([true, undefined]);
  letEnd();
  await first().exited;
  expect([slot.isIdle, slot.restarts, forked.length]).toEqual([true, 0, 1]);
});

test('a call while it ends starts the next one when it has ended', async () => {
  slot.rest(first(), 5_000);
  slot.call();
  slot.call();
  expect([slot.isIdle, slot.ready, forked.length]).toEqual([false, undefined, 1]);
  letEnd();
  await until(() => slot.ready !== undefined);
  expect([slot.ready, forked.length]).toEqual([forked[1], 2]);
});

test('a call after its end starts the next one, which is started again if it fails', async () => {
  letEnd();
  slot.rest(first(), 5_000);
  await first().exited;
  slot.call();
  await until(() => slot.ready !== undefined);
  slot.ready?.kill('SIGKILL');
  await until(() => slot.ready !== undefined && slot.ready === forked[2]);
  expect(slot.restarts).toBe(1);
});

test('a process that was replaced cannot have its successor end', async () => {
  letEnd();
  const old = first();
  await slot.replace(async () => undefined, 5_000);
  slot.rest(old, 5_000);
  expect([slot.isIdle, slot.ready]).toEqual([false, forked[1]]);
});

test('a process that rests while its successor starts leaves its place to that', async () => {
  letEnd();
  const replacing = slot.replace(async () => undefined, 5_000);
  slot.rest(first(), 5_000);
  await replacing;
  expect([slot.ready, forked.length]).toEqual([forked[1], 2]);
});

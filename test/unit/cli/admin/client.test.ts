import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { callAdmin, isServing } from '../../../../src/cli/admin/client.js';
import { adminSocketPath } from '../../../../src/config/data-folder.js';
import { loadConfig } from '../../../../src/config/load.js';
import { adminHandler } from '../../../../src/server/admin/handler.js';
import { HttpListener } from '../../../../src/server/http/listener.js';
import { createLog } from '../../../../src/server/system/log.js';
import { parameterError } from '../../../../src/spec/service-errors.js';
import { runCli } from '../../../support/cli.js';
import { folderOfFile } from '../../../support/folders.js';

const folder = folderOfFile('airlock-admin-');
const dataDir = join(folder, 'data');
const { config } = loadConfig({ env: { AIRLOCK_DATA_DIR: folder } });
const path = adminSocketPath(config);
const log = createLog({ level: 'silent' });
const noStore = () => Promise.reject(new Error('the store must not be opened'));
const seen: unknown[] = [];
const listener = new HttpListener();

/** Answers of `live.errors` for live video 2, one after the other. */
const followed: object[][] = [];
let onFollowed: () => unknown = () => undefined;

function nextFollowed() {
  const errors = followed.shift() ?? [];
  onFollowed();
  return { errors };
}

const actions = {
  echo: async (input: object) => input,
  refuse: async () => {
    throw parameterError('The parameter id is required');
  },
  break: async () => {
    throw new Error('it broke');
  },
  'owner.add': async (input: object) => {
    seen.push(input);
    return { id: '5', ...input };
  },
  'owner.set': async (input: object) => {
    seen.push(input);
    return input;
  },
  'live.show': async () => {
    throw parameterError('No live video with this ID.');
  },
  'live.errors': async (input: { id?: unknown }) =>
    input.id === '2'
      ? nextFollowed()
      : {
          errors: [
            { severity: 'warning', timestamp: 't', description: '[6209 X] d. Set r.', remediation: 'Set r.', count: 1 },
            { severity: 'warning', timestamp: 's', description: '[6209 X] e. Set r.', remediation: 'Set r.', count: 2 },
            { severity: 'info', timestamp: 'q', description: '[6217 Y] f.', remediation: 'Set s.', count: 1 },
          ],
        },
};

beforeAll(async () => {
  listener.serve(adminHandler(actions, log));
  await listener.listenOnFile(path);
});
afterAll(async () => {
  await listener.close();
  rmSync(folder, { recursive: true, force: true });
});

test('creates the socket with access for its owner only', () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('runs an action over the socket without opening the store', async () => {
  expect(await isServing(config)).toBe(true);
  expect(await callAdmin(config, 'echo', { a: [1, 'é'] }, noStore)).toEqual({ a: [1, 'é'] });
});

test('a sign-in link needs a running server', async () => {
  const env = { AIRLOCK_DATA_DIR: join(folder, 'nothing') };
  const { code, stderr } = await runCli(['sign-in'], { env });
  expect([code, stderr]).toEqual([3, expect.stringContaining('no server is running on')]);
});

test('returns the message of a refusal, of an error and of an unknown action', async () => {
  await expect(callAdmin(config, 'refuse', {}, noStore)).rejects.toThrow('(#100) The parameter id is required');
  await expect(callAdmin(config, 'break', {}, noStore)).rejects.toThrow('it broke');
  await expect(callAdmin(config, 'constructor', {}, noStore)).rejects.toThrow(/does not know 'constructor'/);
  await expect(callAdmin(config, 'echo', { long: 'x'.repeat(300_000) }, noStore)).rejects.toThrow(/JSON object/);
});

test('exits with 2 when the server refuses a parameter, as other wrong usage, and with 1 when it fails', async () => {
  const env = { AIRLOCK_DATA_DIR: folder };
  expect(await runCli(['live', 'show', '17'], { env })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'airlock: No live video with this ID.\n',
  });
  await expect(callAdmin(config, 'break', {}, noStore)).rejects.toMatchObject({ exitCode: 1 });
});

test('exits with 2 without a server too: for an unknown owner and an invalid number of days', async () => {
  const env = { AIRLOCK_DATA_DIR: join(folder, 'direct') };
  const page = await runCli(['owner', 'add', 'page', 'A Page', '--format', 'json'], { env });
  const { id } = JSON.parse(page.stdout) as { id: string };
  const issue = (owner: string, days: string) =>
    runCli(['token', 'issue', owner, '--scopes', 'all', '--days', days], { env });
  expect(await issue(id, '0')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'airlock: Param days must be between 1 and 3650\n',
  });
  expect(await issue('17', '1')).toMatchObject({ code: 2, stderr: expect.stringContaining('has the id 17') });
  expect(await issue(id, '1')).toMatchObject({ code: 0 });
});

test('runs the action on the store without a server, and closes the store', async () => {
  const other = loadConfig({ env: { AIRLOCK_DATA_DIR: dataDir } }).config;
  expect(await isServing(other)).toBe(false);
  mkdirSync(join(dataDir, 'store'), { recursive: true });
  const calls: string[] = [];
  const open = async () => ({
    run: async (action: string) => calls.push(action),
    close: async () => void calls.push('close'),
  });
  await callAdmin(other, 'owner.list', {}, open);
  expect(calls).toEqual(['owner.list', 'close']);
});

describe('commands', () => {
  const env = { AIRLOCK_DATA_DIR: folder };

  test('owner add passes its options and prints the new owner', async () => {
    const { code, stdout } = await runCli(
      ['owner', 'add', 'user', 'Ada', '--followers', '150', '--profile-age-days', '90'],
      { env },
    );
    expect(code).toBe(0);
    expect(seen.at(-1)).toEqual({ kind: 'user', name: 'Ada', followers: 150, profile_age_days: 90 });
    expect(stdout).toMatch(/^id\s+5$/m);
  });

  test('owner add creates a group with its privacy', async () => {
    await runCli(['owner', 'add', 'group', 'G', '--privacy', 'SECRET'], { env });
    expect(seen.at(-1)).toEqual({ kind: 'group', name: 'G', privacy: 'SECRET' });
    expect(await runCli(['owner', 'add', 'group', 'G', '--privacy', 'ODD'], { env })).toMatchObject({ code: 2 });
    const sent = seen.length;
    expect(await runCli(['owner', 'add', 'club', 'G'], { env })).toMatchObject({ code: 2 });
    expect(seen).toHaveLength(sent);
  });

  test('owner set passes what changes, options for people several times', async () => {
    const people = ['--add-member', '7', '--add-member', '8', '--remove-member', '9', '--add-manager', '6'];
    const friends = ['--add-friend', '10', '--remove-friend', '11'];
    const facts = ['--followers', '100', '--created', '2026-01-31', '--privacy', 'CLOSED', '--max-objects', 'default'];
    expect(await runCli(['owner', 'set', '5', ...facts, ...people, ...friends], { env })).toMatchObject({ code: 0 });
    expect(seen.at(-1)).toEqual({
      id: '5',
      followers: 100,
      created_ms: Date.UTC(2026, 0, 31),
      privacy: 'CLOSED',
      max_objects: 'default',
      add_manager: ['6'],
      add_member: ['7', '8'],
      remove_member: ['9'],
      add_friend: ['10'],
      remove_friend: ['11'],
    });
    expect(await runCli(['owner', 'set', '5', '--created', 'soon'], { env })).toMatchObject({ code: 2 });
  });

  test('live errors exits with 1 from the severity of --fail-on', async () => {
    expect(await runCli(['live', 'errors', '1'], { env })).toMatchObject({ code: 0 });
    expect(await runCli(['live', 'errors', '1', '--fail-on', 'warning'], { env })).toMatchObject({ code: 1 });
  });

  test('live errors prints a remedy once, and wraps it on a terminal', async () => {
    const { stdout } = await runCli(['live', 'errors', '1'], { env });
    expect(stdout.split('\n')).toEqual([
      't  warning  open  count 1',
      '  [6209 X] d.',
      '  Set r.',
      '',
      's  warning  open  count 2',
      '  [6209 X] e.',
      '',
      'q  info  open  count 1',
      '  [6217 Y] f.',
      '  Set s.',
      '',
    ]);
    const narrow = await runCli(['live', 'errors', '1'], { env, terminal: { columns: 12 } });
    expect(narrow.stdout.split('\n').slice(0, 3)).toEqual(['t  warning', '    open', '    count 1']);
  });

  test('live errors --follow prints what is raised and cleared until it is stopped', async () => {
    let stop: (signal: 'SIGINT') => void = () => undefined;
    const stopped = new Promise<'SIGINT'>((resolve) => {
      stop = resolve;
    });
    const open = { id: '1', error_code: 6208, error_type: 'X', severity: 'error', timestamp: 't1', description: 'd' };
    followed.push([open], [open], [{ ...open, cleared_time: 't2' }]);
    onFollowed = () => followed.length === 0 && stop('SIGINT');
    const run = await runCli(['live', 'errors', '2', '--follow'], { env, stopped });
    expect(run).toMatchObject({ code: 1, stdout: 't1  error  d\nt2  cleared  6208 X\n' });
  });

  test('live errors --follow needs a running server', async () => {
    const run = await runCli(['live', 'errors', '2', '--follow'], { env: { AIRLOCK_DATA_DIR: dataDir } });
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('no server is running on') });
  });

  test.each([
    ['live', 'list'],
    ['owner', 'list'],
    ['token', 'list'],
    ['live', 'report', '5'],
    ['live', 'report', '5', '--links'],
    ['audit'],
    ['webhook-secret'],
  ])('%s creates nothing where there is no store', async (...args) => {
    const empty = join(folder, 'empty');
    const run = await runCli(args, { env: { AIRLOCK_DATA_DIR: empty } });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`in ${empty}: start a server there`) });
    expect(existsSync(empty)).toBe(false);
  });

  test('a refusal is shown without the number of the HTTP interface', async () => {
    expect((await runCli(['live', 'show', '5'], { env })).stderr).toBe('airlock: No live video with this ID.\n');
  });

  test('--format json prints the unchanged answer', async () => {
    const { stdout } = await runCli(['owner', 'add', 'page', 'P', '--format', 'json'], { env });
    expect(JSON.parse(stdout)).toEqual({ id: '5', kind: 'page', name: 'P' });
  });
});

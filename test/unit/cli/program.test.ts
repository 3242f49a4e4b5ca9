import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, exitCodeOf, explain } from '../../../src/cli/console/exit.js';
import { textTable } from '../../../src/cli/console/text-table.js';
import { CATALOGUE } from '../../../src/rules/registry/catalogue.js';
import { commandNames, runCli } from '../../support/cli.js';
import { folderOfFile } from '../../support/folders.js';

const folder = folderOfFile('airlock-cli-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('has exactly the documented commands', async () => {
  expect(await commandNames()).toEqual(
    expect.arrayContaining([
      'serve',
      'validate',
      'replay',
      'fixtures',
      'spec',
      'doctor',
      'webhook-secret',
      'owner add',
      'owner list',
      'owner show',
      'token issue',
      'token list',
      'token revoke',
      'sign-in',
      'live create',
      'live list',
      'live show',
      'live end',
      'live stop',
      'live errors',
    ]),
  );
});

describe('wrong usage exits with 2 and a one-line message', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['serv'], /unknown command 'serv'[\s\S]*Did you mean serve/],
    ['an unknown flag', ['serve', '--rtmp-prot', '1'], /unknown option '--rtmp-prot'/],
    ['a missing argument', ['owner', 'show'], /missing required argument 'id'/],
    ['a bad choice', ['spec', '--format', 'xml'], /Allowed choices are text, json, markdown/],
    ['a bad number', ['live', 'errors', '1', '--limit', 'x'], /whole number/],
    ['a bad setting by flag', ['serve', '--rtmps-port', 'x'], /--rtmps-port must be a whole number/],
    ['a missing config file', ['serve', '--config', 'none.json'], /none\.json does not exist/],
    [
      'a schedule without a time',
      ['live', 'create', '--owner', '1', '--status', 'SCHEDULED_LIVE'],
      /SCHEDULED_LIVE needs --planned-start/,
    ],
    ['a stop without a reason', ['live', 'stop', '1', '--page', '2'], /--copyright/],
  ])('%s', async (_what, args, message) => {
    const { code, stdout, stderr } = await runCli(args, { cwd: folder });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('names the help of the command that was used', async () => {
    const hintOf = async (...args: string[]) => (await runCli(args, { cwd: folder })).stderr.trim().split('\n').at(-1);
    expect(await hintOf('live', 'create', '1')).toBe('(see airlock live create --help)');
    expect(await hintOf('spec', '--nope')).toBe('(see airlock spec --help)');
    expect(await hintOf('nope')).toBe('(see airlock --help)');
  });

  test('lists all invalid environment variables at once', async () => {
    const env = { AIRLOCK_HTTP_PORT: '-1', AIRLOCK_RECORD: 'perhaps' };
    const { code, stderr } = await runCli(['serve'], { cwd: folder, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^airlock: 2 invalid settings:\n {2}AIRLOCK_HTTP_PORT .*\n {2}AIRLOCK_RECORD /);
  });
});

test('help and version exit with 0', async () => {
  expect(await runCli(['--version'])).toMatchObject({ code: 0, stderr: '' });
  const help = await runCli(['help', 'serve']);
  expect(help.code).toBe(0);
  expect(help.stdout).toMatch(/--rtmps-port <PORT>/);
});

test('no help line is longer than 100 columns', async () => {
  for (const name of await commandNames()) {
    const { stdout } = await runCli([...name.split(' '), '--help']);
    expect([name, stdout.split('\n').filter((line) => line.length > 100)]).toEqual([name, []]);
  }
});

describe('explain', () => {
  test.each(CATALOGUE.map(({ code, type, clause }) => [code, type, clause] as const))(
    '%i %s',
    async (code, type, clause) => {
      const { stdout } = await runCli(['explain', String(code)]);
      expect(stdout).toContain(`${code} ${type}\n`);
      expect(stdout.replace(/\s+/g, ' ')).toContain(clause);
      expect((await runCli(['explain', type.toLowerCase()])).stdout).toBe(stdout);
    },
  );

  test('an unknown code exits with 2', async () => {
    expect(await runCli(['explain', '1'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not an error code/),
    });
  });
});

describe('spec', () => {
  test('prints every code of the catalogue in each format', async () => {
    for (const format of ['text', 'json', 'markdown']) {
      const { code, stdout } = await runCli(['spec', '--format', format]);
      expect(code).toBe(0);
      expect(CATALOGUE.filter((row) => !stdout.includes(String(row.code)) || !stdout.includes(row.type))).toEqual([]);
    }
  });

  test('prints the data unchanged as JSON, without what only our own reports and pages use', async () => {
    const { stdout } = await runCli(['spec', '--format', 'json']);
    const errors = CATALOGUE.map(({ passes, row, counts, perTrack, explains, bounds, ...shown }) => shown);
    expect(JSON.parse(stdout)).toMatchObject({
      live: { duration: { maxHours: 8 } },
      errors: JSON.parse(JSON.stringify(errors)),
    });
  });
});

describe('text table', () => {
  test('wraps the widest column without splitting words', () => {
    const table = textTable(['a', 'long'], [['1', 'one two three four']], 14);
    expect(table).toBe(['a  long', '-  -----------', '1  one two', '   three four'].join('\n'));
  });

  test('terminates when no column can be narrowed', () => {
    expect(textTable(['indivisible'], [['word']], 3).split('\n')).toHaveLength(3);
  });
});

describe('error messages', () => {
  const coded = (code: string, more: object = {}) => Object.assign(new Error(`${code}: raw text`), { code, ...more });

  test.each<[string, unknown, number, RegExp]>([
    ['a port in use', coded('EADDRINUSE', { port: 1936 }), 1, /port 1936 is in use/],
    ['a privileged port', coded('EACCES', { port: 80 }), 1, /below 1024/],
    ['an inaccessible file', coded('EACCES', { path: '/x.flv' }), 2, /\/x\.flv: permission denied/],
    ['no server', coded('ECONNREFUSED', { port: 1 }), 3, /no server answers on this machine, port 1$/],
    ['store away', coded('STORE_UNAVAILABLE'), 3, /raw text/],
    ['a missing file', coded('ENOENT', { path: '/x' }), 2, /^\/x: no such file$/],
    ['our own', new CliError('say it'), 2, /^say it$/],
    ['a stack trace in the message', new Error('broken\n    at f (file.js:1:2)'), 1, /^broken$/],
    ['a thrown string', 'text', 1, /^text$/],
  ])('%s', (_what, error, code, message) => {
    expect(exitCodeOf(error)).toBe(code);
    expect(explain(error)).toMatch(message);
  });
});

test('the printed ffmpeg command has the documented rate control options', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../src/cli/serve/banner.ts'), 'utf8');
  expect(source).toContain('-b:v 2500k -minrate 2500k -maxrate 2500k -bufsize 2500k -g 60 -sc_threshold 0');
  expect(source).toContain('nal-hrd=cbr');
});

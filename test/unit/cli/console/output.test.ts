/** Colors, widths and exit codes of all commands. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_CODES, exitRows } from '../../../../src/cli/console/exit.js';
import { hasColors } from '../../../../src/lib/colors.js';
import { commandNames, runCli } from '../../../support/cli.js';
import { flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-output-');
beforeAll(() => writeFileSync(join(folder, 'mono.flv'), flvFile(synthStream({ durationMs: 3_000, channels: 1 }))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each<[boolean, Record<string, string>, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '' }, false],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: 'false' }, false],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, true],
])('terminal %s, %j: colors %s', (isTerminal, env, expected) => {
  expect(hasColors(isTerminal, env)).toBe(expected);
});

const RED = '\u001b[31m';

test('--color goes before the environment, for a terminal and for a pipe', async () => {
  const isColored = async (when: string[], env: Record<string, string>, terminal?: { columns: number }) =>
    (
      await runCli(['validate', 'mono.flv', ...when], { cwd: folder, env, ...(terminal && { terminal }) })
    ).stdout.includes(RED);
  expect(await isColored([], {}, { columns: 80 })).toBe(true);
  expect(await isColored([], {})).toBe(false);
  expect(await isColored(['--color', 'never'], { FORCE_COLOR: '1' }, { columns: 80 })).toBe(false);
  expect(await isColored(['--color', 'always'], { NO_COLOR: '1' })).toBe(true);
  expect(await isColored(['--color', 'auto'], { FORCE_COLOR: '1' })).toBe(true);
  expect((await runCli(['validate', 'mono.flv', '--color', 'pink'], { cwd: folder })).code).toBe(2);
});

test.each([[['spec']], [['explain', '6208']], [['conform', '--list']], [['validate', 'mono.flv', '--verbose']]])(
  '%j is wrapped on a terminal alone',
  async (args) => {
    const linesOf = async (terminal?: { columns: number }) =>
      (
        await runCli(args, { cwd: folder, ...(terminal && { terminal: { ...terminal } }), env: { NO_COLOR: '1' } })
      ).stdout.split('\n');
    const longest = (lines: readonly string[]) => Math.max(...lines.map((line) => line.length));
    const [piped, narrow] = [await linesOf(), await linesOf({ columns: 150 })];
    expect(longest(piped)).toBeGreaterThan(150);
    expect(longest(narrow)).toBeLessThanOrEqual(150);
    expect(narrow.length).toBeGreaterThan(piped.length);
  },
);

/** `owner`, or `live errors` where a subcommand has a row. */
const rowOf = (command: string) => (Object.hasOwn(EXIT_CODES, command) ? command : (command.split(' ')[0] ?? ''));

test('every command has a row of exit codes, which its help prints', async () => {
  const commands = (await commandNames()).filter(
    (name, _at, all) => !all.some((other) => other.startsWith(`${name} `)),
  );
  const named = commands.filter((name) => name !== 'help').map((name) => [name, rowOf(name)] as const);
  expect(new Set(named.map(([, row]) => row))).toEqual(new Set(Object.keys(EXIT_CODES)));
  for (const [name] of named) {
    const help = (await runCli([...name.split(' '), '--help'])).stdout.replace(/\s+/g, ' ');
    for (const [code, meaning] of exitRows(name)) expect(help).toContain(` ${code} ${meaning}`);
  }
});

const COLUMNS = [0, 1, 2, 3, 'signal'] as const;

function exitTable(): string {
  const commandsOf = new Map<string, string[]>();
  for (const [command, codes] of Object.entries(EXIT_CODES)) {
    const cells = COLUMNS.map((code) => codes[code] ?? '').join(' | ');
    commandsOf.set(cells, [...(commandsOf.get(cells) ?? []), `\`${command}\``]);
  }
  const rows = [...commandsOf].map(([cells, commands]) => `| ${commands.join(', ')} | ${cells} |`);
  return ['| Command | 0 | 1 | 2 | 3 | 129, 130, 143 |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

test('docs/commands.md has the table of exit codes (UPDATE_DOCS=1 writes it)', () => {
  const path = join(import.meta.dirname, '../../../../docs/commands.md');
  const marked = /(?<=<!-- exit codes -->\n)[\s\S]*?(?=\n?<!-- \/exit codes -->)/;
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(marked, () => exitTable()),
    );
  }
  expect(marked.exec(readFileSync(path, 'utf8'))?.[0]).toBe(exitTable());
});

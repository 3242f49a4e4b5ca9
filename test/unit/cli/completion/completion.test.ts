/** `airlock completion`: the script of bash is run; those of zsh and fish are compared with it. */
import { spawnSync } from 'node:child_process';
import { runCli } from '../../../support/cli.js';

let bash = '';
beforeAll(async () => {
  bash = (await runCli(['completion', 'bash'])).stdout;
});

/** What bash offers for a line; the last word may be empty. */
function completed(...words: string[]): string[] {
  const line = ['airlock', ...words].map((word) => `'${word}'`).join(' ');
  const program = `${bash}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_airlock\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands and subcommands', () => {
  expect(completed('val')).toEqual(['validate']);
  expect(completed('live', '')).toEqual(expect.arrayContaining(['create', 'errors', 'list', 'report']));
  expect(completed('completion', '')).toEqual(['bash', 'zsh', 'fish']);
});

test('bash completes options, and the values of options that have a fixed set', () => {
  expect(completed('live', 'errors', '--fo')).toEqual(['--format', '--follow']);
  expect(completed('validate', '--format', 'js')).toEqual(['json']);
  expect(completed('live', 'create', '--status', 'SCHEDULED_L')).toEqual(['SCHEDULED_LIVE']);
});

test('bash offers files where a value or an argument is free', () => {
  expect(completed('validate', '--output', '')).toEqual([]);
  expect(bash).toContain('complete -o default -F _airlock airlock');
});

test('the script of zsh holds the same function', async () => {
  const { stdout } = await runCli(['completion', 'zsh']);
  expect(stdout).toMatch(/^#compdef airlock\n/);
  expect(stdout).toContain(bash.slice(bash.indexOf('_airlock() {')));
});

test('the script of fish names every command and quotes every text', async () => {
  const { stdout } = await runCli(['completion', 'fish']);
  for (const name of ['serve', 'validate', 'errors', 'obs-profile']) expect(stdout).toContain(` -f -a ${name} -d '`);
  expect(stdout).toContain("__fish_seen_subcommand_from live; and __fish_seen_subcommand_from errors' -l follow");
  // Its quotes are those of the shell: each line is one command with closed quotes.
  const lines = stdout.split('\n').filter((line) => line.startsWith('complete '));
  for (const line of lines) expect((line.replaceAll("\\'", '').match(/'/g) ?? []).length % 2).toBe(0);
});

test('an unknown shell is refused', async () => {
  expect(await runCli(['completion', 'csh'])).toMatchObject({ code: 2, stderr: expect.stringContaining('bash') });
});

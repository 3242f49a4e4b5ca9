/** The completions of fish and zsh, in these shells: apt-get install fish zsh. That of bash is run by npm test. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-completion-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the shell offers for each line. */
const CASES: readonly (readonly [line: readonly string[], offered: readonly string[]])[] = [
  [['val'], ['validate']],
  [
    ['live', 'e'],
    ['end', 'errors'],
  ],
  [
    ['live', 'errors', '--fo'],
    ['--follow', '--format'],
  ],
  [['validate', '--format', 'js'], ['json']],
];

async function offered(shell: 'fish' | 'zsh', programOf: (file: string, line: readonly string[]) => string) {
  const file = join(folder, shell);
  writeFileSync(file, (await runCli(['completion', shell])).stdout);
  return CASES.map(([line]) => {
    const { status, stdout, stderr } = spawnSync(shell, ['-c', programOf(file, line)], {
      encoding: 'utf8',
      cwd: folder,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // fish prints the description behind a tab.
    return (
      stdout
        .split('\n')
        .filter(Boolean)
        .map((each) => each.split('\t')[0] ?? '')
        // zsh itself leaves out what does not fit the last word.
        .filter((each) => each.startsWith(line.at(-1) ?? ''))
        .sort()
    );
  });
}

test('fish completes commands, options and values', async () => {
  const found = await offered('fish', (file, line) => `source ${file}; complete -C 'airlock ${line.join(' ')}'`);
  expect(found).toEqual(CASES.map(([, words]) => words));
});

test('zsh completes commands, options and values', async () => {
  // As `compgen` of zsh calls the function.
  const found = await offered('zsh', (file, line) =>
    [
      'autoload -U +X compinit bashcompinit; compinit -u; bashcompinit',
      `source ${file}`,
      'offer() { emulate -L sh; setopt kshglob noshglob braceexpand',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of zsh
      'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _airlock; printf "%s\\n" "${COMPREPLY[@]}"; }',
      `offer airlock ${line.join(' ')}`,
    ].join('\n'),
  );
  expect(found).toEqual(CASES.map(([, words]) => words));
});

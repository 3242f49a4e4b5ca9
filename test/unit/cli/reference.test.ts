/** docs/command-line.md is what the commands say of themselves. UPDATE_DOCS=1 writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandNames, runCli } from '../../support/cli.js';

const file = join(import.meta.dirname, '../../../docs/command-line.md');

const HEAD = `# Command line

Which commands does \`npx airlock\` have, and which options? \`npx airlock COMMAND --help\` prints the same, with exit codes and the settings
that count. Commands that need a store or a server take [settings](settings.md) as flags, too. Exit codes: 0 success, 1 errors were
found or an expectation was not met, 2 wrong usage or unreadable input, 3 the server could not be reached or could not start. Generated:
\`UPDATE_DOCS=1 npm test -- test/unit/cli/reference\` writes it.

| Command | Does | Options |
|---|---|---|
`;

const cell = (text: string): string => text.replaceAll(/[|<]/g, '\\$&');

/** Within backquotes only the bar of a table needs an escape. */
const code = (text: string): string => text.replaceAll('|', '\\|');

/** Undefined for a command that only has others. */
async function rowOf(name: string): Promise<string | undefined> {
  const { stdout: wrapped } = await runCli([...name.split(' '), '--help'], { terminal: { columns: 10_000 } });
  // Lines end at 100 columns on any terminal.
  const stdout = wrapped.replaceAll(/\n {10,}(?=\S)/g, ' ');
  if (/^Commands:/m.test(stdout)) return undefined;
  const [usage = '', purpose = ''] = stdout.split('\n\n').map((part) => part.replaceAll('\n', ' '));
  const parameters = usage.replace(`Usage: airlock ${name}`, '').replace(' [options]', '');
  const [, listed = ''] = /^Options:\n((?: .*\n)+)/m.exec(stdout) ?? [];
  const options = listed
    .split('\n')
    .map((line) => /^ {2}(?:-\w, )?(--\S+(?: <[^>]+>)?) {2,}(.*)$/.exec(line))
    .flatMap((match) =>
      match === null || match[1] === '--help' ? [] : [`\`${code(match[1] ?? '')}\` ${cell(match[2] ?? '')}`],
    );
  const ofSettings = name === 'serve' ? ['every [setting](settings.md)'] : [];
  return `| \`airlock ${name}${code(parameters)}\` | ${cell(purpose.trim())} | ${[...options, ...ofSettings].join('<br>')} |`;
}

test('docs/command-line.md has each command with its options', async () => {
  const rows: string[] = [];
  for (const name of await commandNames()) {
    const row = await rowOf(name);
    if (row !== undefined) rows.push(row);
  }
  const text = `${HEAD}${rows.join('\n')}\n`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, text);
  expect(rows.length).toBeGreaterThan(30);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

// Writes the generated parts of the documents from the built program: run after `npm run build`. Tests compare them.
import { readFileSync, writeFileSync } from 'node:fs';
import { settingsTable } from '../dist/config/settings-table.js';

const parts = [{ file: 'docs/operations.md', mark: 'settings', text: settingsTable() }];

for (const { file, mark, text } of parts) {
  const path = new URL(`../${file}`, import.meta.url);
  const marked = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(marked, (_all, begin, end) => `${begin}${text}\n${end}`),
  );
}

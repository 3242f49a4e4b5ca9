// Prints the section of a version in CHANGELOG.md: node scripts/release-notes.mjs [VERSION]. Without a version: that of package.json.
import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const version = process.argv[2] ?? JSON.parse(read('package.json')).version;
const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
if (section === undefined) {
  process.stderr.write(`CHANGELOG.md has no section ${version}\n`);
  process.exitCode = 1;
} else {
  const [, ...lines] = section.split('\n');
  process.stdout.write(`${lines.join('\n').trim()}\n`);
}

// Fails for wording that CONTRIBUTING.md rules out: riddles and personification. Part of `npm run check`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const BANNED =
  /\b(nobody|somebody|whoever|who sees (it|them)|without a word|in words|of (its|their) own accord|farewells?|in vain|for ever|found out|who asks|gives? way|all the same|hindrances?|time-outs?|colours?|behaviour|recognised?|cancelled|licence|favour|honour|neighbours?|centred?|analysed?|optimised?|organised?|authorised?|initialised?|normalised?|serialised?|synchronised?)\b/i;
/** This file lists the words. */
const EXCEPT = /^scripts\/check-words\.mjs$/;
const LOOKED_AT = /^(src|bench|scripts|docs)\/.*\.(ts|tsx|mjs|md|yml|yaml)$|^(README|CONTRIBUTING|CHANGELOG)\.md$/;

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => LOOKED_AT.test(path) && !EXCEPT.test(path));
const found = files.flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      const [word] = BANNED.exec(line) ?? [];
      return word === undefined ? [] : [`${path}:${at + 1} "${word}": ${line.trim().slice(0, 100)}`];
    }),
);
for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`${found.length} lines to reword: subject, verb, standard term (CONTRIBUTING.md).`);
  process.exit(1);
}

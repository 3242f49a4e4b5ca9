// Fails for wording that CONTRIBUTING.md rules out: riddles and personification. Part of `npm run check`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const BANNED =
  /\b(nobody|somebody|whoever|who sees (it|them)|without a word|in words|of (its|their) own accord|farewells?|in vain|for ever|found out|who asks|gives? way|all the same|hindrances?|time-outs?|colours?|behaviour|recognised?|cancelled|licence|favour|honour|neighbours?|centred?|analysed?|optimised?|organised?|authorised?|initialised?|normalised?|serialised?|synchronised?)\b/i;
/** A comment begins with what the thing is or does: these openings leave out the subject. */
const OPENING = /(?:^|\s)(?:\/\/|\/\*\*?|\*) ?((?:Of|As|The same|What) .*)/;
/** Sentences with one of the openings as their subject, each read. At most 40. */
const KEPT = [
  'Of the process: a response reaches all who ask on its subject',
  'The same bytes would fail again',
  'The same call may succeed later.',
  'What expires first was set first',
  'What follows is not known yet',
  'What is drawn later covers what is drawn before.',
  'What it has started may keep its output open.',
  'What the index was built from.',
  'What the supervisor used at the last ping',
  'What waits for the entries runs before the store gets them.',
  'What was asked before is sent before',
  'What was held up comes in bursts',
];
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
      const word = BANNED.exec(line)?.[0] ?? (isCode(path) ? openingOf(line) : undefined);
      return word === undefined ? [] : [`${path}:${at + 1} "${word}": ${line.trim().slice(0, 100)}`];
    }),
);

function isCode(path) {
  return /^src\/.*\.tsx?$/.test(path);
}

function openingOf(line) {
  const [, comment] = OPENING.exec(line) ?? [];
  if (comment === undefined || KEPT.some((start) => comment.startsWith(start))) return undefined;
  return comment.split(' ', 2).join(' ');
}

for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`${found.length} lines to reword: subject, verb, standard term (CONTRIBUTING.md).`);
  process.exit(1);
}

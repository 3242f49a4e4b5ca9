/** Faults that are planted in a server session: the cases that say so find each, and no other case of a sample does. */

import { GROUPS } from '../../src/conform/case.js';
import { CASES } from '../../src/conform/cases/index.js';
import { MUTANTS } from '../support/conform-mutants.js';
import { casesNow } from '../support/in-full.js';
import { failuresOf } from '../support/mutated-session.js';

/** They send megabytes, or thousands of messages: `test:long` runs all cases against all mutants. */
const COSTLY = new Set([
  'limits/create-stream-flood',
  'limits/many-members',
  'limits/ping-flood',
  'limits/set-chunk-size-flood',
  'limits/tiny-chunks',
  'limits/unfinished-48-mb',
]);

/** Beside the cases that find a fault, one in this many runs against it, others in turn. */
const SAMPLE = 24;

/** Every third one in `npm test`. */
const mutants = MUTANTS.map((mutant, at) => [...mutant, at] as const);

test.each(casesNow(mutants, ([, , , at]) => at % 3 === 0))('%s', async (_name, fault, found, at) => {
  const isSample = (id: string, place: number) => place % SAMPLE === at % SAMPLE && !COSTLY.has(id);
  const cases = CASES.filter(({ id }, place) => found.includes(id) || isSample(id, place));
  expect(await failuresOf(fault, cases)).toEqual(found);
});

test.each(GROUPS.filter((group) => group !== 'tls'))('two faults at least are found by the group %s', (group) => {
  const own = MUTANTS.filter(([, , found]) => found.some((id) => id.startsWith(`${group}/`)));
  expect(own.length).toBeGreaterThanOrEqual(2);
});

/** docs/conformance.md and docs/conformance/ are what the cases, the results of other servers and the notes on them say. UPDATE_DOCS=1 writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { GROUPS } from '../../../src/conform/case.js';
import { CASES } from '../../../src/conform/cases/index.js';
import { conformanceDocuments, failuresOf, type Results } from '../../support/conformance-document.js';
import { NOTES, type Peer } from '../../support/conformance-notes.js';

const docs = new URL('../../../docs/', import.meta.url);
const results: Results = JSON.parse(readFileSync(new URL('../../../docs/conformance.json', import.meta.url), 'utf8'));

test('docs/conformance.md and docs/conformance are up to date, with each case once', () => {
  const pages = conformanceDocuments(results);
  for (const [path, text] of pages) {
    if (process.env.UPDATE_DOCS === '1') writeFileSync(new URL(path, docs), text);
    expect(readFileSync(new URL(path, docs), 'utf8')).toBe(text);
  }
  const cases = [...pages.values()]
    .slice(1)
    .join('\n')
    .match(/^\| `\w+\//gm);
  expect(cases).toHaveLength(CASES.length);
  expect([...pages.values()].join('\n').match(/^\| Case \| Level \| Clause/gm)).toHaveLength(GROUPS.length);
});

test('the results are of cases that there are, and this server failed none', () => {
  const ids = new Set(CASES.map(({ id }) => id));
  for (const { rtmp, rtmps } of Object.values(results)) {
    expect([...Object.keys(rtmp), ...Object.keys(rtmps)].filter((id) => !ids.has(id))).toEqual([]);
  }
  expect(failuresOf(results.airlock)).toEqual([]);
});

test.each(Object.keys(NOTES) as Peer[])('each failure of %s has a reason, and each reason a failure', (peer) => {
  expect(Object.keys(NOTES[peer]).sort()).toEqual(failuresOf(results[peer]).sort());
});

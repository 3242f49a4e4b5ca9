/** docs/conformance.md is what the cases, the results of other servers and the notes on them say. UPDATE_DOCS=1 writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { CASES } from '../../../src/conform/cases/index.js';
import { conformanceDocument, failuresOf, type Results } from '../../support/conformance-document.js';
import { NOTES, type Peer } from '../../support/conformance-notes.js';

const file = new URL('../../../docs/conformance.md', import.meta.url);
const results: Results = JSON.parse(readFileSync(new URL('../../../docs/conformance.json', import.meta.url), 'utf8'));

test('docs/conformance.md is up to date', () => {
  const text = conformanceDocument(results);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
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

// Writes test/support/durations.json, by which `npm test` starts the longest files first, from the results of a run:
// npm test -- --json --outputFile=run.json && node scripts/test-durations.mjs run.json
import { readFileSync, writeFileSync } from 'node:fs';

/** The run may be of another working tree. */
const inTests = (path) => path.slice(path.lastIndexOf('/test/') + '/test/'.length);

/** Files below this are in any order behind the others. */
const LISTED_FROM_S = 5;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const rows = testResults
  .map(({ name, startTime, endTime }) => [
    inTests(name).replace(/\.test\.ts$/, ''),
    Math.round((endTime - startTime) / 1000),
  ])
  .filter(([, seconds]) => seconds >= LISTED_FROM_S)
  .sort(([a, aSeconds], [b, bSeconds]) => bSeconds - aSeconds || (a < b ? -1 : 1));
writeFileSync('test/support/durations.json', `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);

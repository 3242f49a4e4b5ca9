/**
 * Starts the test files that take longest first, so that none of them runs alone at the end. Jest knows how long they took only
 * where they ran before, which a fresh clone has not. `scripts/test-durations.mjs` writes the table.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const SECONDS = new Map(Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'durations.json'), 'utf8'))));

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}

function secondsOf({ path, context }) {
  const name = relative(join(context.config.rootDir, 'test'), path)
    .replaceAll(sep, '/')
    .replace(/\.test\.ts$/, '');
  return SECONDS.get(name) ?? 0;
}

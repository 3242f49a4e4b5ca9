import { specSentence } from '../../../src/dashboard/web/shared/spec-sentence.js';

const WAITING = { over: false, complete: true, seen: false, current: false, hasFailing: false };

test.each([
  ['Requirements for the stream. No data yet.', {}],
  ['Errors of the stream so far. No current values.', { hasFailing: true }],
  ['Last values before the encoder disconnected.', { seen: true, hasFailing: true }],
  ['Current state of the stream.', { seen: true, current: true }],
  ['Loading the error log of the whole broadcast.', { over: true, complete: false }],
  ['Results for the whole broadcast.', { over: true, hasFailing: true }],
])('%s', (sentence, state) => {
  expect(specSentence({ ...WAITING, ...state })).toBe(sentence);
});

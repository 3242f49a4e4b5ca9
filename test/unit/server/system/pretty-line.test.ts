/** Log lines on a terminal. */
import { prettyLine } from '../../../../src/server/system/pretty-line.js';

const line = (fields: object) =>
  JSON.stringify({ level: 'warn', time: '2026-01-15T12:34:56.789Z', ...fields, msg: 'publish refused' });

test('shows time, level, message and fields', () => {
  expect(prettyLine(line({ role: 'ingest', connection: 7 }), false)).toBe(
    '12:34:56.789Z  WARN   publish refused  role=ingest  connection=7\n',
  );
});

test('colors the level only', () => {
  expect(prettyLine(line({}), true)).toBe('12:34:56.789Z  \u001b[33mWARN\u001b[0m   publish refused\n');
});

test('shows an error by its message, then its stack', () => {
  const error = { message: 'no space', stack: 'Error: no space\n    at write (a.js:1:2)' };
  expect(prettyLine(line({ error }), false)).toBe(
    '12:34:56.789Z  WARN   publish refused  error=no space\n    at write (a.js:1:2)\n',
  );
});

test('lets no control character of a client reach the terminal', () => {
  expect(prettyLine(line({ encoder: 'OBS\u001b[2J\n\u202e' }), true)).toContain('encoder=OBS\\x1b[2J\\n\\u202e');
  expect(prettyLine('OBS\u009b2J\n', false)).toBe('OBS\\x9b2J\n');
});

test('leaves what is no log line as it is', () => {
  expect(prettyLine('plain text\n', false)).toBe('plain text\n');
});

import { type ForwardRow, forwardSentence } from '../../../src/dashboard/web/shared/forward-words.js';

const ROW: ForwardRow = { id: '1', name: 'Origin', url: 'rtmp://a/b', when: 'always', enabled: true, state: 'waiting' };
const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [{ state: 'off' }, 'Off'],
  [{}, 'Waiting for the stream'],
  [{ when: 'healthy' }, 'Waiting for ten seconds without an error'],
  [{ state: 'connecting' }, 'Connecting to Origin'],
  [{ state: 'sending', sent_kbps: 2_500, lag_ms: 200 }, 'Sending to Origin, 2,500 kbps, 0.2 s behind'],
  [{ state: 'held', held_by: [6210] }, 'Held: title 6210'],
  [
    { state: 'refused', reason: 'the target says "Invalid stream key"', next_try_time: '2026-01-01T00:00:41+0000' },
    'Refused: the target says "Invalid stream key", next try in 41 s',
  ],
  [
    { state: 'retrying', reason: 'the target closed the connection' },
    'No connection: the target closed the connection',
  ],
] as const)('a forward that is %j reads: %s', (more, sentence) => {
  expect(forwardSentence({ ...ROW, ...more }, NOW, (code) => `Title ${code}`)).toBe(sentence);
});

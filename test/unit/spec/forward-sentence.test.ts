import { type ForwardSeen, forwardSentence, forwardsSentence } from '../../../src/spec/forward-sentence.js';

const SEEN: ForwardSeen = { name: 'Origin', when: 'always', state: 'waiting' };
const WORDS = {
  nowMs: Date.parse('2026-01-01T00:00:00Z'),
  titleOf: (code: number) => `Title ${code}`,
  clockTime: (ms: number) => new Date(ms).toISOString().slice(11, 19),
};

test.each([
  [{ state: 'off' }, 'Off'],
  [{}, 'Waiting for the stream'],
  [{ when: 'healthy' }, 'Waiting for ten seconds without an error'],
  [{ state: 'connecting' }, 'Connecting to Origin'],
  [{ state: 'sending', sent_kbps: 2_500, lag_ms: 200 }, 'Sending to Origin, 2,500 kbps, 0.2 s behind'],
  [{ state: 'held', held_by: [6210], since: '2026-01-01T12:04:00Z' }, 'Held: title 6210 since 12:04:00'],
  [
    { state: 'refused', reason: 'the target says "Invalid stream key"', next_try_time: '2026-01-01T00:00:41+0000' },
    'Refused: the target says "Invalid stream key", next try in 41 s',
  ],
  [
    { state: 'retrying', reason: 'the target closed the connection' },
    'No connection: the target closed the connection',
  ],
] as const)('a forward that is %j reads: %s', (more, sentence) => {
  expect(forwardSentence({ ...SEEN, ...more }, WORDS)).toBe(sentence);
});

test('a forward waits for no stream of a broadcast that is over', () => {
  expect(forwardSentence(SEEN, { ...WORDS, over: true })).toBe('The broadcast is over');
});

test.each([
  [{ count: 2, sending: 1, failing: 1 }, 'Forwards: 1 of 2 failing'],
  [{ count: 2, sending: 2, failing: 0 }, 'Forwards: 2 of 2 sending'],
  [{ count: 1, sending: 0, failing: 0 }, 'Forwards: 0 of 1 sending'],
])('forwards that are %j read: %s', (counts, sentence) => {
  expect(forwardsSentence(counts)).toBe(sentence);
});

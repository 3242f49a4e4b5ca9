/** Bounds on what a case does to a peer. */
import { jest } from '@jest/globals';
import type { Case } from '../../../src/conform/case.js';
import { CONFORM_LIMITS } from '../../../src/conform/limits.js';
import { runCases } from '../../../src/conform/runner.js';
import { Trial } from '../../../src/conform/trial.js';
import { KEYS, SessionIngest } from '../../support/session-ingest.js';

const options = { peer: new SessionIngest(), keys: KEYS, timeoutMs: 1000, pause: async () => undefined };

test('a case opens and sends no more than its share', async () => {
  const trial = new Trial(options);
  const dialogue = await trial.open();
  const half = new Uint8Array(CONFORM_LIMITS.sentBytes / 2);
  await dialogue.raw('half', half);
  await dialogue.raw('half', half);
  await expect(dialogue.raw('one byte more', [0])).rejects.toThrow('sends too much');
  for (let at = 1; at < CONFORM_LIMITS.connections; at++) await trial.open();
  await expect(trial.open()).rejects.toThrow('too many connections');
});

test('a case that does not end is stopped, and is unknown', async () => {
  jest.useFakeTimers();
  const endless: Case = {
    id: 'limits/endless',
    group: 'limits',
    clause: 'none',
    level: 'must',
    title: 'It opens one connection after the other',
    async run(trial) {
      for (;;) {
        const dialogue = await trial.open();
        dialogue.line.close('drop');
        jest.advanceTimersByTime(CONFORM_LIMITS.caseMs / 10);
      }
    },
  };
  const { results } = await runCases([endless], options);
  jest.useRealTimers();
  expect(results).toMatchObject([{ verdict: 'unknown', came: 'the case takes longer than 60 s' }]);
});

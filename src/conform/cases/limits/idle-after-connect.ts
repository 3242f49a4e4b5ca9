/** Connections without a publish hold a place that an encoder needs. */
import type { Case } from '../../case.js';

export const idleAfterConnect: Case = {
  id: 'limits/idle-after-connect',
  group: 'limits',
  clause: 'CWE-400',
  level: 'practice',
  title: 'A connection that does not publish is closed within 65 s',
  waitsMs: 65_000,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.expectClosed(65_000);
  },
};

import type { Case } from '../../case.js';

export const handshakeNotBegun: Case = {
  id: 'limits/handshake-not-begun',
  group: 'limits',
  clause: 'CWE-400',
  level: 'should',
  title: 'A connection that sends nothing is closed within 65 s',
  waitsMs: 65_000,
  async run(trial) {
    const dialogue = await trial.open();
    trial.notes.sent.push('nothing');
    await dialogue.expectClosed(65_000);
  },
};

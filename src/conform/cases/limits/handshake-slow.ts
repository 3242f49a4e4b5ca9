import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const handshakeSlow: Case = {
  id: 'limits/handshake-slow',
  group: 'limits',
  clause: 'CWE-400',
  level: 'should',
  title: 'A handshake that takes a second for each byte is closed within 65 s',
  waitsMs: 65_000,
  async run(trial) {
    const dialogue = await trial.open();
    for (let at = 0; at < 65 && !dialogue.line.isClosed; at++) {
      await dialogue.raw('one byte a second', HELLO.subarray(at, at + 1));
      await dialogue.closes(1_000);
    }
    const isClosed = dialogue.line.isClosed;
    trial.check('the peer closes the connection within 65 s', isClosed, isClosed ? 'closed' : 'still open');
  },
};

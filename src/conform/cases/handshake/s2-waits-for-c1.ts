import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';
import { S1_END } from '../../wire.js';

const QUIET_MS = 300;

export const s2WaitsForC1: Case = {
  id: 'handshake/s2-waits-for-c1',
  group: 'handshake',
  clause: 'RTMP 1.0 5.2.1',
  level: 'must',
  title: 'S2 is not sent before all of C1 has come',
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0 and half of C1', HELLO.subarray(0, 769));
    await dialogue.until(() => (dialogue.handshakeBytes > S1_END ? true : undefined), QUIET_MS);
    const { handshakeBytes } = dialogue;
    trial.check('at most S0 and S1', handshakeBytes <= S1_END, `${handshakeBytes} bytes`);
    await dialogue.raw('the rest of C1', HELLO.subarray(769));
    await dialogue.expectHandshake();
  },
};

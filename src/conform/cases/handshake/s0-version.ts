import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const s0Version: Case = {
  id: 'handshake/s0-version',
  group: 'handshake',
  clause: 'RTMP 1.0 5.2.2',
  level: 'must',
  title: 'S0 is version 3',
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0, C1', HELLO);
    await dialogue.expectHandshake();
    trial.check('S0 is 3', dialogue.handshake[0] === 3, `S0 is ${dialogue.handshake[0]}`);
  },
};

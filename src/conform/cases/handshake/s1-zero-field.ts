import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const s1ZeroField: Case = {
  id: 'handshake/s1-zero-field',
  group: 'handshake',
  clause: 'RTMP 1.0 5.2.3',
  level: 'must',
  title: 'The zero field of S1 is zero in the plain handshake',
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0, C1 whose zero field is zero', HELLO);
    const { s1 } = await dialogue.expectHandshake();
    const field = Buffer.from(s1.subarray(4, 8)).toString('hex');
    trial.check('bytes 4 to 7 of S1 are zero', field === '00000000', `bytes 4 to 7 of S1 are ${field}`);
  },
};

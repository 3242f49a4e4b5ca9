/** librtmp compares all bytes, and logs that the signature does not match where one differs. */
import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const s2EqualsC1: Case = {
  id: 'handshake/s2-equals-c1',
  group: 'handshake',
  clause: 'librtmp, RTMP_Connect',
  level: 'practice',
  title: 'S2 equals C1 in all 1536 bytes',
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0, C1', HELLO);
    const { s2 } = await dialogue.expectHandshake();
    const isSame = Buffer.compare(s2, HELLO.subarray(1)) === 0;
    trial.check('all bytes of C1 in S2', isSame, isSame ? 'the same bytes' : 'other bytes');
  },
};

import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const invalidDigest: Case = {
  id: 'handshake/invalid-digest',
  group: 'handshake',
  clause: 'harlanc/xiu#39',
  level: 'should',
  title: 'A C1 with a version but no valid digest gets the plain handshake',
  async run(trial) {
    const dialogue = await trial.open();
    const hello = HELLO.slice();
    hello.set([0x80, 0, 7, 2], 5);
    await dialogue.raw('C0, C1 with version 128.0.7.2 and no digest', hello);
    const { s1, s2 } = await dialogue.expectHandshake();
    const isSame = Buffer.compare(s2.subarray(8), hello.subarray(9)) === 0;
    trial.check('the random bytes of C1 in S2', isSame, isSame ? 'the same bytes' : 'other bytes');
    await dialogue.raw('C2', s1);
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

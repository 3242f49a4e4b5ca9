import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const s2RepeatsC1: Case = {
  id: 'handshake/s2-repeats-c1',
  group: 'handshake',
  clause: 'RTMP 1.0 5.2.4',
  level: 'must',
  title: 'S2 repeats the time and the random bytes of C1',
  async run(trial) {
    const dialogue = await trial.open();
    const hello = HELLO.slice();
    hello.set([0x12, 0x34, 0x56, 0x78], 1);
    await dialogue.raw('C0, C1 with time 0x12345678', hello);
    const { s2 } = await dialogue.expectHandshake();
    const isTime = Buffer.compare(s2.subarray(0, 4), hello.subarray(1, 5)) === 0;
    trial.check(
      'S2 begins with the time of C1',
      isTime,
      `S2 begins with ${Buffer.from(s2.subarray(0, 4)).toString('hex')}`,
    );
    const isSame = Buffer.compare(s2.subarray(8), hello.subarray(9)) === 0;
    trial.check('the random bytes of C1 in S2', isSame, isSame ? 'the same bytes' : 'other bytes');
  },
};

import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const s1Random: Case = {
  id: 'handshake/s1-random',
  group: 'handshake',
  clause: 'RTMP 1.0 5.2.3',
  level: 'should',
  title: 'S1 differs from C1 and from connection to connection',
  async run(trial) {
    const seen = [Buffer.from(HELLO.subarray(9)).toString('hex')];
    for (let at = 0; at < 2; at++) {
      const dialogue = await trial.open();
      await dialogue.raw('C0, C1', HELLO);
      const { s1 } = await dialogue.expectHandshake();
      const random = Buffer.from(s1.subarray(8)).toString('hex');
      const known = seen.indexOf(random);
      const came = known < 0 ? 'new bytes' : known === 0 ? 'the bytes of C1' : 'the bytes of an earlier S1';
      trial.check('random bytes that were not seen before', known < 0, came);
      seen.push(random);
    }
  },
};

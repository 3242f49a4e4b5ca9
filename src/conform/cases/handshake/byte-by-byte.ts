import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const byteByByte: Case = {
  id: 'handshake/byte-by-byte',
  group: 'handshake',
  clause: 'RFC 9293 3.8',
  level: 'must',
  title: 'A handshake that comes byte by byte is read',
  async run(trial) {
    const dialogue = await trial.open();
    for (const byte of HELLO.subarray(0, 600)) await dialogue.raw('C0, C1 byte by byte', [byte]);
    await dialogue.raw('the rest of C1', HELLO.subarray(600));
    const { s1, s2 } = await dialogue.expectHandshake();
    const isSame = Buffer.compare(s2.subarray(8), HELLO.subarray(9)) === 0;
    trial.check('the random bytes of C1 in S2', isSame, isSame ? 'the same bytes' : 'other bytes');
    for (const byte of s1.subarray(0, 600)) await dialogue.raw('C2 byte by byte', [byte]);
    await dialogue.raw('the rest of C2', s1.subarray(600));
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const version6: Case = {
  id: 'handshake/version-6',
  group: 'handshake',
  clause: 'RTMP 1.0 5.2.2',
  level: 'should',
  title: 'Version 6 (RTMPE) is refused, or answered with version 3',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0 of version 6, C1', [6], HELLO.subarray(1));
    const answered = () => (dialogue.handshakeBytes > 0 || dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('the connection is closed, or S0', answered);
    const [s0] = dialogue.handshake;
    if (dialogue.handshakeBytes > 0) trial.check('S0 is 3', s0 === 3, `S0 is ${s0}`);
  },
};

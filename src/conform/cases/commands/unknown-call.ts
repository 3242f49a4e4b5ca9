import type { Case } from '../../case.js';

export const unknownCall: Case = {
  id: 'commands/unknown-call',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.2',
  level: 'should',
  title: 'A call of an unknown procedure is answered or ignored',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, 'noSuchProcedure', 14, null, 'x', 1);
    await dialogue.expectServed();
  },
};

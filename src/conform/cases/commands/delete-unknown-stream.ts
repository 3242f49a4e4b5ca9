import type { Case } from '../../case.js';

export const deleteUnknownStream: Case = {
  id: 'commands/delete-unknown-stream',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.2.3',
  level: 'should',
  title: 'deleteStream of a stream that does not exist is ignored',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, 'deleteStream', 17, null, 99);
    await dialogue.expectServed();
  },
};

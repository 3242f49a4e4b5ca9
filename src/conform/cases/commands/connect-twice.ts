import type { Case } from '../../case.js';

export const connectTwice: Case = {
  id: 'commands/connect-twice',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'A second connect ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await trial.connect(dialogue, { app: 'other' });
    await dialogue.expectSettled();
  },
};

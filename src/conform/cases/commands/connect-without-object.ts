import type { Case } from '../../case.js';

export const connectWithoutObject: Case = {
  id: 'commands/connect-without-object',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'A connect without its object ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.command(0, 'connect', 1);
    await dialogue.command(0, 'connect', 1, null);
    await dialogue.expectSettled();
  },
};

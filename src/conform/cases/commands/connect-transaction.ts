import type { Case } from '../../case.js';

export const connectTransaction: Case = {
  id: 'commands/connect-transaction',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'practice',
  title: 'connect with another transaction than 1 is answered with that',
  async run(trial) {
    const dialogue = await trial.shaken();
    const { app, tcUrl } = trial.peer;
    await dialogue.command(0, 'connect', 7, { app, tcUrl });
    await dialogue.expectAnswer(7);
  },
};

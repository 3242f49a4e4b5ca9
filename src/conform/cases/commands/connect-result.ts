import type { Case } from '../../case.js';

export const connectResult: Case = {
  id: 'commands/connect-result',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'connect is answered with a _result of transaction 1',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

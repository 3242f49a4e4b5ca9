import type { Case } from '../../case.js';

export const connectSuccess: Case = {
  id: 'commands/connect-success',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'The result of connect has level status and code NetConnection.Connect.Success',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue);
    const { info } = await dialogue.expectAnswer(1);
    const isSuccess = info.level === 'status' && info.code === 'NetConnection.Connect.Success';
    trial.check('status NetConnection.Connect.Success', isSuccess, `${info.level} ${info.code}`);
  },
};

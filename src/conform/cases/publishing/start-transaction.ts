import type { Case } from '../../case.js';

export const startTransaction: Case = {
  id: 'publishing/start-transaction',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2',
  level: 'must',
  title: 'onStatus has transaction 0 and a null before its information object',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const { command } = dialogue.statuses().at(0) ?? trial.undecided('no onStatus');
    const came = `transaction ${command?.transactionId}, ${JSON.stringify(command?.object)}`;
    trial.check('transaction 0, null', command?.transactionId === 0 && command.object === null, came);
  },
};

import type { Case } from '../../case.js';

export const transaction0: Case = {
  id: 'commands/transaction-0',
  group: 'commands',
  clause: 'RTMP 1.0 7.1.1',
  level: 'must',
  title: 'A call with transaction 0 is not answered',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, 'FCPublish', 0, null, 'a name without a stream');
    await dialogue.command(0, 'deleteStream', 0, null, 99);
    await dialogue.expectServed();
    const answers = dialogue.heard.filter(({ command }) => command?.transactionId === 0 && /^_/.test(command.name));
    trial.check('no _result and no _error of transaction 0', answers.length === 0, `${answers.length} of them`);
  },
};

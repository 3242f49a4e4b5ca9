import type { Case } from '../../case.js';

export const fcpublishTransaction: Case = {
  id: 'commands/fcpublish-transaction',
  group: 'commands',
  clause: 'membraneframework/membrane_rtmp_plugin#115',
  level: 'practice',
  title: 'An answer to FCPublish has its transaction',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.created();
    const before = dialogue.heard.length;
    await dialogue.command(0, 'FCPublish', 13, null, trial.key());
    await dialogue.expectServed();
    const answers = dialogue.heard
      .slice(before)
      .filter(
        ({ command }) => command?.name === 'onFCPublish' || (command !== undefined && command.transactionId < 500),
      );
    if (answers.length === 0) trial.skip('the peer does not answer FCPublish');
    const ids = answers.map(({ command }) => command?.transactionId);
    trial.check(
      'transaction 13',
      ids.every((id) => id === 13),
      ids.join(', '),
    );
  },
};

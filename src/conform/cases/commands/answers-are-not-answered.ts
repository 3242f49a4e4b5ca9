import type { Case } from '../../case.js';

export const answersAreNotAnswered: Case = {
  id: 'commands/answers-are-not-answered',
  group: 'commands',
  clause: 'RTMP 1.0 7.1.1',
  level: 'should',
  title: 'A _result, _error or onStatus of the client is not answered',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.expectServed();
    const before = dialogue.heard.length;
    await dialogue.command(0, '_result', 40, null, 1);
    await dialogue.command(0, '_error', 41, null, { level: 'error', code: 'x', description: 'x' });
    await dialogue.command(0, 'onStatus', 42, null, { level: 'status', code: 'x', description: 'x' });
    await dialogue.expectServed();
    const answers = dialogue.heard
      .slice(before)
      .filter(({ command }) => [40, 41, 42].includes(command?.transactionId ?? 0));
    trial.check('no answer', answers.length === 0, `${answers.length} answers`);
  },
};

import type { Case } from '../../case.js';

export const releaseStream: Case = {
  id: 'commands/release-stream',
  group: 'commands',
  clause: 'ossrs/srs#627',
  level: 'should',
  title: 'releaseStream of a name that is not in use is no error',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, 'releaseStream', 12, null, 'a name without a stream');
    await dialogue.expectServed();
    const answer = dialogue.answer(12);
    const came = answer === undefined ? 'no answer' : `${answer.command?.name}`;
    trial.check('_result, or no answer', answer?.command?.name !== '_error', came);
  },
};

import type { Case } from '../../case.js';

export const createStream: Case = {
  id: 'commands/create-stream',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.3',
  level: 'must',
  title: 'createStream is answered with the id of a stream, 1 or higher',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, 'createStream', 4, null);
    const { command } = await dialogue.expectAnswer(4);
    const id = command?.args[0];
    trial.check('a number of at least 1', typeof id === 'number' && id >= 1 && Number.isInteger(id), `${id}`);
  },
};

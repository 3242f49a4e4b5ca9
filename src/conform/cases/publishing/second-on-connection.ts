import type { Case } from '../../case.js';

export const secondOnConnection: Case = {
  id: 'publishing/second-on-connection',
  group: 'publishing',
  clause: 'ossrs/srs#545',
  level: 'practice',
  title: 'A second publish on one connection does not end the first',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    const first = dialogue.streamId;
    await dialogue.command(0, 'createStream', 50, null);
    const { command } = await dialogue.expectAnswer(50, 'any');
    const id = command?.args[0];
    if (id === first) trial.skip('the peer has one stream for each connection');
    await dialogue.command(Number(id ?? 2), 'publish', 51, null, 'conform-second-name', 'live');
    await dialogue.media(3, 200);
    await dialogue.expectServed();
  },
};

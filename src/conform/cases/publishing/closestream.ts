import type { Case } from '../../case.js';

export const closestream: Case = {
  id: 'publishing/closestream',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2',
  level: 'practice',
  title: 'closeStream ends the publish, and the connection goes on',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.command(dialogue.streamId, 'closeStream', 0, null);
    await dialogue.expectServed();
  },
};

import type { Case } from '../../case.js';

export const play: Case = {
  id: 'commands/play',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.2.1',
  level: 'practice',
  title: 'play of a name that is not published is answered, or the connection ends',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.created();
    await dialogue.command(dialogue.streamId, 'play', 5, null, 'no-such-stream');
    await dialogue.expectSettled();
  },
};

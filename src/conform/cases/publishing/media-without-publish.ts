import type { Case } from '../../case.js';

export const mediaWithoutPublish: Case = {
  id: 'publishing/media-without-publish',
  group: 'publishing',
  clause: 'RTMP 1.0 7.1.5',
  level: 'must',
  title: 'Media without a publish ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.created();
    await dialogue.media();
    await dialogue.expectSettled();
  },
};

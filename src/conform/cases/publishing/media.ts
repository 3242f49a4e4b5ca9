import type { Case } from '../../case.js';

export const media: Case = {
  id: 'publishing/media',
  group: 'publishing',
  clause: 'RTMP 1.0 7.1.4, 7.1.5',
  level: 'must',
  title: 'A stream of metadata, audio and video is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(25);
    await dialogue.expectServed();
  },
};

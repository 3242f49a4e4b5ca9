import type { Case } from '../../case.js';
import { AAC_FRAME, INTER_FRAME } from '../../media.js';

export const framesBeforeHeader: Case = {
  id: 'publishing/frames-before-header',
  group: 'publishing',
  clause: 'bluenviron/mediamtx#4002',
  level: 'should',
  title: 'Frames before the sequence header do not end the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.metadata();
    await dialogue.audio(AAC_FRAME, 0, 'an AAC frame');
    await dialogue.video(INTER_FRAME, 0, 'a video frame');
    await dialogue.media();
    await dialogue.expectServed();
  },
};

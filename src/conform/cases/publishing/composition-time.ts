import type { Case } from '../../case.js';
import { INTER_FRAME } from '../../media.js';

export const compositionTime: Case = {
  id: 'publishing/composition-time',
  group: 'publishing',
  clause: 'bluenviron/gortmplib#88',
  level: 'should',
  title: 'A negative composition time does not end the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    const frame = INTER_FRAME.slice();
    frame.set([0xff, 0xff, 0xd8], 2);
    await dialogue.video(frame, 120, 'a video frame with a composition time of -40 ms');
    await dialogue.expectServed();
  },
};

import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

export const timestampWraps: Case = {
  id: 'chunks/timestamp-wraps',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.3',
  level: 'must',
  title: 'Timestamps pass 2^24, 2^31 and 2^32 without an end of the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    for (const border of [2 ** 24, 2 ** 31, 2 ** 32]) {
      for (const timeMs of [border - 40, border, border + 40]) {
        await dialogue.video(frameOf(400), timeMs, `video at ${timeMs % 2 ** 32} ms`);
      }
      await dialogue.expectServed();
    }
  },
};

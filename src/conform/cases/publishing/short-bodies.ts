/** Encoders send such messages at their end, when they are silent, and as commands. */
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const shortBodies: Case = {
  id: 'publishing/short-bodies',
  group: 'publishing',
  clause: 'bluenviron/gortmplib#128, apache/brpc#3366',
  level: 'should',
  title: 'Audio and video of no, one, two and five bytes do not end the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    for (const body of ['', '17', '57 00', '27 02 000000']) await dialogue.video(hex(body), 120);
    for (const body of ['', 'af', 'af 01', 'af 00 1190 56e5']) await dialogue.audio(hex(body), 120);
    await dialogue.expectServed();
  },
};

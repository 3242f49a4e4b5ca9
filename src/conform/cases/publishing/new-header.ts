import type { Case } from '../../case.js';
import { AVC_HEADER, KEY_FRAME } from '../../media.js';

export const newHeader: Case = {
  id: 'publishing/new-header',
  group: 'publishing',
  clause: 'bluenviron/mediamtx#4262',
  level: 'should',
  title: 'A sequence header that comes again, and one that is new, do not end the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.video(AVC_HEADER, 120, 'the H.264 sequence header again');
    await dialogue.video(KEY_FRAME, 120, 'a key frame');
    const other = AVC_HEADER.slice();
    other[8] = 0x1f;
    await dialogue.video(other, 160, 'an H.264 sequence header of level 3.1');
    await dialogue.video(KEY_FRAME, 160, 'a key frame');
    await dialogue.expectServed();
  },
};

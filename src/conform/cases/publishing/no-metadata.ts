import type { Case } from '../../case.js';
import { AVC_HEADER, KEY_FRAME } from '../../media.js';

export const noMetadata: Case = {
  id: 'publishing/no-metadata',
  group: 'publishing',
  clause: 'bluenviron/mediamtx#386',
  level: 'should',
  title: 'A stream without metadata is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.video(AVC_HEADER, 0, 'H.264 sequence header');
    await dialogue.video(KEY_FRAME, 0, 'a key frame');
    await dialogue.expectServed();
  },
};

import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const aggregate: Case = {
  id: 'chunks/aggregate',
  group: 'chunks',
  clause: 'RTMP 1.0 7.1.6',
  level: 'should',
  title: 'An aggregate of audio and video is accepted',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    const tags = hex('09 000005 000064 00 000000 2701000000 00000010  08 000002 000078 00 000000 af01 0000000d');
    await dialogue.message('an aggregate of a video and an audio tag', MESSAGE_TYPE.aggregate, tags, {
      stream: dialogue.streamId,
    });
    await dialogue.expectServed();
  },
};

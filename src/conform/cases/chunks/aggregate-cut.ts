import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const aggregateCut: Case = {
  id: 'chunks/aggregate-cut',
  group: 'chunks',
  clause: 'RTMP 1.0 7.1.6',
  level: 'must',
  title: 'An aggregate whose tag extends past its end ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    const tag = hex('09 0000ff 000064 00 000000 1701');
    await dialogue.message('an aggregate with a tag of 255 bytes, of which 2 are there', MESSAGE_TYPE.aggregate, tag, {
      stream: dialogue.streamId,
    });
    await dialogue.expectSettled();
  },
};

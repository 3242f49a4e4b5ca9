import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { AAC_FRAME } from '../../media.js';

export const chunkStreams: Case = {
  id: 'limits/chunk-streams',
  group: 'limits',
  clause: 'RTMP 1.0 5.3.1.1',
  level: 'must',
  title: 'Messages on 500 chunk streams end at most their own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    for (let id = 100; id < 600; id++) {
      await dialogue.message('audio on chunk streams 100 to 599', MESSAGE_TYPE.audio, AAC_FRAME, {
        stream: dialogue.streamId,
        chunkStream: id,
      });
    }
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

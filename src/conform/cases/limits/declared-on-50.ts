import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { chunk } from '../../wire.js';

export const declaredOn50: Case = {
  id: 'limits/declared-on-50',
  group: 'limits',
  clause: 'RTMP 1.0 5.3.1.2.1',
  level: 'must',
  title: '50 messages of 8 MB that do not come end at most their own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    const { streamId: stream } = dialogue;
    for (let id = 10; id < 60; id++) {
      await dialogue.raw(
        'headers of 8 MB on chunk streams 10 to 59',
        chunk(0, { id, length: 8_000_000, type: MESSAGE_TYPE.video, stream }, filled(128)),
      );
    }
    await dialogue.expectSettled();
  },
};

import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { chunk } from '../../wire.js';

export const declared16Mb: Case = {
  id: 'limits/declared-16-mb',
  group: 'limits',
  clause: 'RTMP 1.0 5.3.1.2.1',
  level: 'must',
  title: 'A message of 16,777,215 bytes that does not come ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    const { streamId: stream } = dialogue;
    await dialogue.raw(
      'a video header of 16,777,215 bytes, and 128 of them',
      chunk(0, { id: 6, length: 0xff_ffff, type: MESSAGE_TYPE.video, stream }, filled(128)),
    );
    await dialogue.expectSettled();
  },
};

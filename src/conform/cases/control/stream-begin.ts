import { MESSAGE_TYPE, USER_CONTROL } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const streamBegin: Case = {
  id: 'control/stream-begin',
  group: 'control',
  clause: 'RTMP 1.0 7.1.7',
  level: 'practice',
  title: 'A Stream Begin with the id of the stream comes with the publish',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.expect('Stream Begin of the stream', () =>
      dialogue.heard.find(({ typeId, payload }) => {
        const isBegin =
          typeId === MESSAGE_TYPE.userControl && Buffer.from(payload).readUInt16BE(0) === USER_CONTROL.streamBegin;
        return isBegin && Buffer.from(payload).readUInt32BE(2) === dialogue.streamId;
      }),
    );
  },
};

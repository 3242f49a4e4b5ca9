import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const shortEvent: Case = {
  id: 'control/short-event',
  group: 'control',
  clause: 'RTMP 1.0 7.1.7',
  level: 'must',
  title: 'A user control message of 1 byte ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('a user control message of 1 byte', MESSAGE_TYPE.userControl, hex('00'));
    await dialogue.expectSettled();
  },
};

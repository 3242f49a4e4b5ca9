import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const shortPing: Case = {
  id: 'control/short-ping',
  group: 'control',
  clause: 'RTMP 1.0 7.1.7',
  level: 'must',
  title: 'A ping request without its timestamp ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('a ping request of 2 bytes', MESSAGE_TYPE.userControl, hex('0006'));
    await dialogue.expectSettled();
  },
};

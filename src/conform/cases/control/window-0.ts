import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const window0: Case = {
  id: 'control/window-0',
  group: 'control',
  clause: 'RTMP 1.0 5.4.4',
  level: 'must',
  title: 'A window of 0 bytes ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Window Acknowledgement Size 0', MESSAGE_TYPE.windowAckSize, u32Body(0));
    await dialogue.expectSettled();
  },
};

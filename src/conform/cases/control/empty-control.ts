import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const emptyControl: Case = {
  id: 'control/empty-control',
  group: 'control',
  clause: 'RTMP 1.0 5.4',
  level: 'must',
  title: 'Control messages without a body end at most their own connection',
  hostile: true,
  async run(trial) {
    for (const type of [
      MESSAGE_TYPE.abort,
      MESSAGE_TYPE.acknowledgement,
      MESSAGE_TYPE.windowAckSize,
      MESSAGE_TYPE.setPeerBandwidth,
    ]) {
      const dialogue = await trial.connected();
      await dialogue.control(`a message of type ${type} of no bytes`, type, hex(''));
      await dialogue.expectSettled();
    }
  },
};

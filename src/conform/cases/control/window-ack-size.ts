import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const windowAckSize: Case = {
  id: 'control/window-ack-size',
  group: 'control',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'should',
  title: 'The answer to connect comes with a Window Acknowledgement Size',
  async run(trial) {
    const { heard } = await trial.connected();
    const sizes = heard.filter(({ typeId }) => typeId === MESSAGE_TYPE.windowAckSize);
    const shown = heard.map(({ typeId }) => typeId).join(', ');
    trial.check('a message of type 5', sizes.length > 0, `messages of types ${shown}`);
  },
};

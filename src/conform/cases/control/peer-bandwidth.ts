import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const peerBandwidth: Case = {
  id: 'control/peer-bandwidth',
  group: 'control',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'should',
  title: 'The answer to connect comes with a Set Peer Bandwidth of five bytes',
  async run(trial) {
    const { heard } = await trial.connected();
    const found = heard.find(({ typeId }) => typeId === MESSAGE_TYPE.setPeerBandwidth);
    const shown = heard.map(({ typeId }) => typeId).join(', ');
    trial.check('a message of type 6', found !== undefined, `messages of types ${shown}`);
    trial.check('5 bytes', found?.payload.length === 5, `${found?.payload.length} bytes`);
  },
};

import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const controlChunkStream: Case = {
  id: 'control/control-chunk-stream',
  group: 'control',
  clause: 'RTMP 1.0 5.4',
  level: 'must',
  title: 'Control messages come on chunk stream 2 and message stream 0',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const control = dialogue.heard.filter(({ typeId }) => typeId <= MESSAGE_TYPE.setPeerBandwidth);
    if (control.length === 0) trial.skip('the peer sends no control message');
    const odd = control.filter((message) => message.chunkStreamId !== 2 || message.messageStreamId !== 0);
    const shown = odd.map(
      (message) => `type ${message.typeId} on ${message.chunkStreamId}, stream ${message.messageStreamId}`,
    );
    trial.check(
      'all on chunk stream 2, stream 0',
      odd.length === 0,
      odd.length === 0 ? `${control.length} messages so` : shown.join('; '),
    );
  },
};

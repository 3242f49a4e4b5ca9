import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const amf3Data: Case = {
  id: 'amf/amf3-data',
  group: 'amf',
  clause: 'RTMP 1.0 7.1.2',
  level: 'should',
  title: 'Metadata of type 15 is accepted',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const body = joined(hex('00'), encodeAmf0('@setDataFrame', 'onMetaData', { width: 640, height: 360 }));
    await dialogue.message('onMetaData as message of type 15', MESSAGE_TYPE.dataAmf3, body, {
      stream: dialogue.streamId,
    });
    await dialogue.expectServed();
  },
};

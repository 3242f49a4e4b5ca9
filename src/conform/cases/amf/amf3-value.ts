import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const amf3Value: Case = {
  id: 'amf/amf3-value',
  group: 'amf',
  clause: 'AMF0 3.1',
  level: 'should',
  title: 'A value that switches to AMF3 is accepted in metadata',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const body = joined(encodeAmf0('@setDataFrame', 'onMetaData'), hex('11 0a0b01 0361 0401 01'));
    await dialogue.message('onMetaData with an AMF3 object', MESSAGE_TYPE.dataAmf0, body, {
      stream: dialogue.streamId,
    });
    await dialogue.expectServed();
  },
};

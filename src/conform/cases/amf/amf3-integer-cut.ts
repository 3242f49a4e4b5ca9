import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const amf3IntegerCut: Case = {
  id: 'amf/amf3-integer-cut',
  group: 'amf',
  clause: 'AMF3 1.3.1',
  level: 'must',
  title: 'An AMF3 value that ends with the message ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with an AMF3 object that is cut',
      joined(encodeAmf0('createStream', 20), hex('11 0a 8f')),
    );
    await dialogue.expectSettled();
  },
};

import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const hugeString: Case = {
  id: 'amf/huge-string',
  group: 'amf',
  clause: 'AMF0 2.14',
  level: 'must',
  title: 'A long string of 4 GB of which a byte is there ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with a long string of 0xffffffff bytes',
      joined(encodeAmf0('createStream', 20), hex('0c ffffffff 61')),
    );
    await dialogue.expectSettled();
  },
};

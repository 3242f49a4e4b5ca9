import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const longKey: Case = {
  id: 'amf/long-key',
  group: 'amf',
  clause: 'AMF0 2.5',
  level: 'must',
  title: 'A member name of 65,535 bytes ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with a name of 65,535 bytes',
      joined(encodeAmf0('createStream', 20), hex('03 ffff'), new Uint8Array(65_535).fill(0x61), hex('05 0000 09')),
    );
    await dialogue.expectSettled();
  },
};

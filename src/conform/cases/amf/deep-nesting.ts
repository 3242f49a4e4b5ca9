import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const deepNesting: Case = {
  id: 'amf/deep-nesting',
  group: 'amf',
  clause: 'AMF0 2.12',
  level: 'must',
  title: 'Arrays nested 10,000 deep end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with arrays 10,000 deep',
      joined(encodeAmf0('createStream', 20), ...Array<Uint8Array>(10_000).fill(hex('0a 00000001')), hex('05')),
    );
    await dialogue.expectSettled();
  },
};

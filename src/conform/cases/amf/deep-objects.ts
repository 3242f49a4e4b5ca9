import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const deepObjects: Case = {
  id: 'amf/deep-objects',
  group: 'amf',
  clause: 'AMF0 2.5',
  level: 'must',
  title: 'Objects nested 5,000 deep end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with objects 5,000 deep',
      joined(encodeAmf0('createStream', 20), hex('03'), ...Array<Uint8Array>(5_000).fill(hex('0001 61 03'))),
    );
    await dialogue.expectSettled();
  },
};

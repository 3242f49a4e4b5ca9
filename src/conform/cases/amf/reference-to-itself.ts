import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const referenceToItself: Case = {
  id: 'amf/reference-to-itself',
  group: 'amf',
  clause: 'AMF0 2.9',
  level: 'must',
  title: 'An object that refers to itself ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with an object whose member refers to it',
      joined(encodeAmf0('createStream', 20), hex('03 0001 61 07 0000 0000 09')),
    );
    await dialogue.expectSettled();
  },
};

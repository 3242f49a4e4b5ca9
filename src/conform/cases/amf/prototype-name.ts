import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const prototypeName: Case = {
  id: 'amf/prototype-name',
  group: 'amf',
  clause: 'AMF0 2.5',
  level: 'must',
  title: 'Members named __proto__ and constructor end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with members named __proto__ and constructor',
      joined(
        encodeAmf0('createStream', 20),
        hex('03 0009 5f5f70726f746f5f5f 03 0001 78 05 0000 09 000b 636f6e7374727563746f72 05 0000 09'),
      ),
    );
    await dialogue.expectSettled();
  },
};

import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';

export const nameIsANumber: Case = {
  id: 'amf/name-is-a-number',
  group: 'amf',
  clause: 'RTMP 1.0 7.1.1',
  level: 'must',
  title: 'A command whose name is a number ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody('a command that begins with the number 1', encodeAmf0(1, 20, null));
    await dialogue.expectSettled();
  },
};

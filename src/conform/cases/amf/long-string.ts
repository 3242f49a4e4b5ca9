import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const longString: Case = {
  id: 'amf/long-string',
  group: 'amf',
  clause: 'AMF0 2.14',
  level: 'must',
  title: 'A long string in connect is read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with a long string of 4 bytes',
      joined(connectBody(trial.peer).subarray(0, -3), hex('0001 61 0c 00000004 61626364 0000 09')),
    );
    await dialogue.expectAnswer(1);
  },
};

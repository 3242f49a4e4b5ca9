import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const reference: Case = {
  id: 'amf/reference',
  group: 'amf',
  clause: 'AMF0 2.9',
  level: 'should',
  title: 'A reference to an earlier object in connect is read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with an object and a reference to it',
      joined(connectBody(trial.peer).subarray(0, -3), hex('0001 61 03 0001 78 05 0000 09 0001 62 07 0001 0000 09')),
    );
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const ecmaArray: Case = {
  id: 'amf/ecma-array',
  group: 'amf',
  clause: 'AMF0 2.10',
  level: 'must',
  title: 'An ECMA array in connect is read, whatever its count',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with an ECMA array whose count is wrong',
      joined(connectBody(trial.peer).subarray(0, -3), hex('0001 61 08 00000007 0001 62 05 0000 09 0000 09')),
    );
    await dialogue.expectAnswer(1);
  },
};

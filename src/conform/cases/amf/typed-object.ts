import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const typedObject: Case = {
  id: 'amf/typed-object',
  group: 'amf',
  clause: 'AMF0 2.18',
  level: 'should',
  title: 'A typed object in connect is read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with a typed object',
      joined(connectBody(trial.peer).subarray(0, -3), hex('0001 61 10 0003 466f6f 0001 62 05 0000 09 0000 09')),
    );
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const everyType: Case = {
  id: 'amf/every-type',
  group: 'amf',
  clause: 'AMF0 2.1',
  level: 'must',
  title: 'Null, undefined, unsupported, boolean, date and XML in connect are read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with a member of each type',
      joined(
        connectBody(trial.peer).subarray(0, -3),
        hex(
          '0001 61 05 0001 62 06 0001 63 0d 0001 64 01 01 0001 65 0b 4270000000000000 0000 0001 66 0f 00000004 3c612f3e 0000 09',
        ),
      ),
    );
    await dialogue.expectAnswer(1);
  },
};

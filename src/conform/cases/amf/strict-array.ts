import type { Case } from '../../case.js';
import { connectBody } from '../../wire.js';

export const strictArray: Case = {
  id: 'amf/strict-array',
  group: 'amf',
  clause: 'AMF0 2.12',
  level: 'must',
  title: 'A strict array in connect is read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody('connect (1) with a strict array', connectBody(trial.peer, { list: [1, 'a', null] }));
    await dialogue.expectAnswer(1);
  },
};

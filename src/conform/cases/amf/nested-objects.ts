import type { Case } from '../../case.js';
import { connectBody } from '../../wire.js';

export const nestedObjects: Case = {
  id: 'amf/nested-objects',
  group: 'amf',
  clause: 'AMF0 2.5',
  level: 'must',
  title: 'Objects in objects in connect are read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with objects three deep',
      connectBody(trial.peer, { a: { b: { c: { d: 1 } } }, e: [{ f: [1, 2] }] }),
    );
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';
import { connectBody } from '../../wire.js';

export const largeConnect: Case = {
  id: 'amf/large-connect',
  group: 'amf',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'should',
  title: 'A connect of 4000 bytes is read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with 40 members of 100 bytes',
      connectBody(
        trial.peer,
        Object.fromEntries(Array.from({ length: 40 }, (_none, at) => [`member${at}`, 'x'.repeat(80)])),
      ),
    );
    await dialogue.expectAnswer(1);
  },
};

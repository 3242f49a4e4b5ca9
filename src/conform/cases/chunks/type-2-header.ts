import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const type2Header: Case = {
  id: 'chunks/type-2-header',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.2.3',
  level: 'must',
  title: 'A type 2 header takes length, type and stream of the message before',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.raw('createStream (20) with type 0', chunk(0, { id: 3 }, padded(20)));
    await dialogue.raw('createStream (21) with type 2', chunk(2, { id: 3, time: 40 }, padded(21)));
    await dialogue.expectAnswer(20);
    await dialogue.expectAnswer(21);
  },
};

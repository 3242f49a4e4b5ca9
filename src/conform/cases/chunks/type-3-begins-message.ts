import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const type3BeginsMessage: Case = {
  id: 'chunks/type-3-begins-message',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.2.4',
  level: 'must',
  title: 'A type 3 header after a complete message begins one like it',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.raw('createStream (20) with type 0', chunk(0, { id: 3 }, padded(20)));
    await dialogue.raw('createStream (21) with type 3', chunk(3, { id: 3 }, padded(21)));
    await dialogue.expectAnswer(20);
    await dialogue.expectAnswer(21);
  },
};

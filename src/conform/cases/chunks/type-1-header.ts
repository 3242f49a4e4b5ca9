import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const type1Header: Case = {
  id: 'chunks/type-1-header',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.2.2',
  level: 'must',
  title: 'A type 1 header takes the stream of the message before',
  async run(trial) {
    const dialogue = await trial.connected();
    const body = padded(20, 100);
    await dialogue.raw('createStream (20) with type 0', chunk(0, { id: 3 }, body));
    await dialogue.raw('createStream (21) with type 1', chunk(1, { id: 3, time: 40 }, padded(21)));
    await dialogue.expectAnswer(20);
    await dialogue.expectAnswer(21);
  },
};

import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const extendedDelta: Case = {
  id: 'chunks/extended-delta',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.3',
  level: 'must',
  title: 'An extended delta is read in type 1 and type 2 chunks',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.raw('createStream (20)', chunk(0, { id: 3 }, padded(20)));
    await dialogue.raw(
      'createStream (21), type 1 with a delta of 16,777,216 ms',
      chunk(1, { id: 3, time: 0x100_0000 }, padded(21)),
    );
    await dialogue.raw(
      'createStream (22), type 2 with a delta of 33,554,432 ms',
      chunk(2, { id: 3, time: 0x200_0000 }, padded(22)),
    );
    await dialogue.expectAnswer(21);
    await dialogue.expectAnswer(22);
  },
};

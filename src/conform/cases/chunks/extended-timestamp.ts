import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const extendedTimestamp: Case = {
  id: 'chunks/extended-timestamp',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.3',
  level: 'must',
  title: 'An extended timestamp is read in a type 0 chunk',
  async run(trial) {
    const dialogue = await trial.connected();
    for (const [at, time] of [0xff_ffff, 0x100_0000, 0xffff_fff0].entries()) {
      await dialogue.raw(`createStream (${20 + at}) at ${time} ms`, chunk(0, { id: 3, time }, padded(20 + at)));
      await dialogue.expectAnswer(20 + at);
    }
  },
};

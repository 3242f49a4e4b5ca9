import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const extendedTimestampRepeated: Case = {
  id: 'chunks/extended-timestamp-repeated',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.3',
  level: 'must',
  title: 'An extended timestamp is repeated in type 3 chunks',
  async run(trial) {
    const dialogue = await trial.connected();
    const time = 20_000_000;
    const body = padded(20, 300);
    await dialogue.raw(
      'createStream (20) at 20,000,000 ms in three chunks that repeat the time',
      chunk(0, { id: 3, time, length: body.length }, body.subarray(0, 128)),
      chunk(3, { id: 3, repeats: time }, body.subarray(128, 256)),
      chunk(3, { id: 3, repeats: time }, body.subarray(256)),
    );
    await dialogue.expectAnswer(20);
  },
};

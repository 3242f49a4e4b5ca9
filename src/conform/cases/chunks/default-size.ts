import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const defaultSize: Case = {
  id: 'chunks/default-size',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'Chunks have 128 bytes until Set Chunk Size says otherwise',
  async run(trial) {
    const dialogue = await trial.connected();
    const body = padded(20, 300);
    await dialogue.raw(
      'createStream (20) of 300 bytes in chunks of 128',
      chunk(0, { id: 3, length: body.length }, body.subarray(0, 128)),
      chunk(3, { id: 3 }, body.subarray(128, 256)),
      chunk(3, { id: 3 }, body.subarray(256)),
    );
    await dialogue.expectAnswer(20);
  },
};

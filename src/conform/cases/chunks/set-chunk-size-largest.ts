/** A message has at most 0xffffff bytes, so a larger chunk size means no more than that. */
import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const setChunkSizeLargest: Case = {
  id: 'chunks/set-chunk-size-largest',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'should',
  title: 'The largest chunk size, 0x7fffffff, is accepted',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.chunkSize(0x7fff_ffff);
    await dialogue.raw('createStream (20) of 10000 bytes in one chunk', chunk(0, { id: 3 }, padded(20, 10_000)));
    await dialogue.expectAnswer(20);
  },
};

import type { Case } from '../../case.js';

export const setChunkSize1: Case = {
  id: 'chunks/set-chunk-size-1',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'A chunk size of 1 is accepted',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.chunkSize(1);
    await dialogue.expectServed('createStream in chunks of one byte is answered');
  },
};

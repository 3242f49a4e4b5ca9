import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

export const setChunkSizeBetween: Case = {
  id: 'chunks/set-chunk-size-between',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'The chunk size may change between any two messages of a stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    for (const [at, size] of [1000, 64, 65_536, 128].entries()) {
      await dialogue.chunkSize(size);
      await dialogue.video(frameOf(5000), 40 * at);
      await dialogue.expectServed(`createStream is answered after chunks of ${size}`);
    }
  },
};

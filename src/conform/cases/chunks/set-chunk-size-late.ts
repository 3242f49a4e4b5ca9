/** The server's own Set Chunk Size is for its direction only. */
import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

export const setChunkSizeLate: Case = {
  id: 'chunks/set-chunk-size-late',
  group: 'chunks',
  clause: 'ossrs/srs#926',
  level: 'practice',
  title: 'A client that never announces a chunk size is read at 128',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    await dialogue.video(frameOf(3000), 40, 'video of 3000 bytes in chunks of 128');
    await dialogue.expectServed();
  },
};

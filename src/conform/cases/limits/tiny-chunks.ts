import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { frameOf } from '../../media.js';

export const tinyChunks: Case = {
  id: 'limits/tiny-chunks',
  group: 'limits',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'A video of 300,000 bytes in chunks of 1 byte ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.chunkSize(1);
    await dialogue.video(frameOf(300_000), 40);
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';

export const setChunkSizeFlood: Case = {
  id: 'limits/set-chunk-size-flood',
  group: 'limits',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: '5,000 changes of the chunk size end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    for (let at = 0; at < 5_000 && !dialogue.line.isClosed; at++) await dialogue.chunkSize(128 + (at % 2));
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

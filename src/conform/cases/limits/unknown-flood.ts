import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { filled } from '../../media.js';

export const unknownFlood: Case = {
  id: 'limits/unknown-flood',
  group: 'limits',
  clause: 'RTMP 1.0 6.1',
  level: 'must',
  title: '3,000 messages of an unknown type end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    const body = filled(10);
    for (let at = 0; at < 3_000 && !dialogue.line.isClosed; at++)
      await dialogue.message('messages of type 210', 210, body);
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

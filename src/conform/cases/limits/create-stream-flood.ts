import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { padded } from '../../wire.js';

export const createStreamFlood: Case = {
  id: 'limits/create-stream-flood',
  group: 'limits',
  clause: 'RTMP 1.0 7.2.1.3',
  level: 'must',
  title: '1,000 calls of createStream end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    for (let at = 0; at < 1_000 && !dialogue.line.isClosed; at++)
      await dialogue.commandBody('createStream, 1,000 times', padded(1_000 + at));
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

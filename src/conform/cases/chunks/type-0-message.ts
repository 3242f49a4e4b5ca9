import type { Case } from '../../case.js';
import { filled } from '../../media.js';

export const type0Message: Case = {
  id: 'chunks/type-0-message',
  group: 'chunks',
  clause: 'RTMP 1.0 6.1',
  level: 'must',
  title: 'A message of type 0 ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.message('a message of type 0', 0, filled(10), { stream: dialogue.streamId });
    await dialogue.expectSettled();
  },
};

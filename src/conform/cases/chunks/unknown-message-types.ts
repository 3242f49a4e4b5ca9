import type { Case } from '../../case.js';
import { filled } from '../../media.js';

export const unknownMessageTypes: Case = {
  id: 'chunks/unknown-message-types',
  group: 'chunks',
  clause: 'RTMP 1.0 6.1',
  level: 'should',
  title: 'Messages of unknown types are ignored',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    for (const type of [7, 210, 255]) {
      await dialogue.message(`a message of type ${type}`, type, filled(10), { stream: dialogue.streamId });
    }
    await dialogue.expectServed();
  },
};

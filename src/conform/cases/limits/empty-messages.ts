import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { chunk, joined } from '../../wire.js';

export const emptyMessages: Case = {
  id: 'limits/empty-messages',
  group: 'limits',
  clause: 'RTMP 1.0 6.1',
  level: 'must',
  title: '20,000 audio messages without a body end at most their own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    const message = chunk(0, { id: 4, type: MESSAGE_TYPE.audio, stream: dialogue.streamId });
    for (let at = 0; at < 20 && !dialogue.line.isClosed; at++) {
      await dialogue.raw('1,000 empty audio messages', joined(...Array<Uint8Array>(1_000).fill(message)));
    }
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

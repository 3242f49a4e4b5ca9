import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const oddMetadata: Case = {
  id: 'amf/odd-metadata',
  group: 'amf',
  clause: 'RTMP 1.0 7.1.2',
  level: 'must',
  title: 'Metadata that does not decode ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    for (const body of [
      hex('02 00ff 61'),
      hex('05'),
      hex('ee'),
      hex('08'),
      hex('02 000a 6f6e4d65746144617461 08 ffffffff'),
    ]) {
      const dialogue = await trial.publishing();
      await dialogue.message(`a data message ${Buffer.from(body).toString('hex')}`, MESSAGE_TYPE.dataAmf0, body, {
        stream: dialogue.streamId,
      });
      await dialogue.expectSettled();
      await trial.unpublish(dialogue);
    }
  },
};

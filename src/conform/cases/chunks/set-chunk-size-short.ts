import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const setChunkSizeShort: Case = {
  id: 'chunks/set-chunk-size-short',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'Set Chunk Size with a body of 3 bytes ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Set Chunk Size with 3 bytes', MESSAGE_TYPE.setChunkSize, hex('000010'));
    await dialogue.seeEnd();
  },
};

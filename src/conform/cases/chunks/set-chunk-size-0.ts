import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const setChunkSize0: Case = {
  id: 'chunks/set-chunk-size-0',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'Set Chunk Size 0 ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Set Chunk Size 0', MESSAGE_TYPE.setChunkSize, u32Body(0));
    await dialogue.seeEnd();
  },
};

import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const setChunkSizeTopBit: Case = {
  id: 'chunks/set-chunk-size-top-bit',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'Set Chunk Size with the top bit set ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Set Chunk Size 0x80000001', MESSAGE_TYPE.setChunkSize, u32Body(0x8000_0001));
    await dialogue.seeEnd();
  },
};

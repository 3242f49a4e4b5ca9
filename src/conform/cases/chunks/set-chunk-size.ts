import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const setChunkSize: Case = {
  id: 'chunks/set-chunk-size',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'Set Chunk Size applies to the next message',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Set Chunk Size 4096', MESSAGE_TYPE.setChunkSize, u32Body(4096));
    await dialogue.raw('createStream (20) of 1000 bytes in one chunk', chunk(0, { id: 3 }, padded(20, 1000)));
    await dialogue.expectAnswer(20);
  },
};

import { u32Body } from '../../../rtmp/messages/control.js';
import { CHUNK_STREAM, MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { padded } from '../../wire.js';

/** In one segment: a server that goes on in smaller buffers may lose what it had read of the next message. */
export const setChunkSize1: Case = {
  id: 'chunks/set-chunk-size-1',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'A chunk size of 1 is accepted',
  async run(trial) {
    const dialogue = await trial.connected();
    const { encoder } = dialogue;
    const announcement = encoder.encode(CHUNK_STREAM.control, MESSAGE_TYPE.setChunkSize, 0, 0, u32Body(1));
    encoder.setChunkSize(1);
    const call = encoder.encode(CHUNK_STREAM.connection, MESSAGE_TYPE.commandAmf0, 0, 0, padded(20));
    await dialogue.raw(
      'Set Chunk Size 1 and createStream (20) in chunks of one byte, in one write',
      announcement,
      call,
    );
    await dialogue.expectAnswer(20);
  },
};

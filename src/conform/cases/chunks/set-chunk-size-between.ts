import { u32Body } from '../../../rtmp/messages/control.js';
import { CHUNK_STREAM, MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

const MEDIA = 4;

export const setChunkSizeBetween: Case = {
  id: 'chunks/set-chunk-size-between',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'The chunk size may change between any two messages of a stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    const { encoder } = dialogue;
    for (const [at, size] of [1000, 64, 65_536, 128].entries()) {
      const announcement = encoder.encode(CHUNK_STREAM.control, MESSAGE_TYPE.setChunkSize, 0, 0, u32Body(size));
      encoder.setChunkSize(size);
      const video = encoder.encode(MEDIA, MESSAGE_TYPE.video, dialogue.streamId, 40 * at, frameOf(5000));
      await dialogue.raw(`Set Chunk Size ${size} and a video of 5000 bytes in one write`, announcement, video);
      await dialogue.expectServed(`createStream is answered after chunks of ${size}`);
    }
  },
};

import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { AAC_FRAME, frameOf } from '../../media.js';
import { chunk } from '../../wire.js';

export const interleavedMedia: Case = {
  id: 'chunks/interleaved-media',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3',
  level: 'must',
  title: 'Audio chunks may come inside a long video message',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    const video = frameOf(300);
    const stream = dialogue.streamId;
    await dialogue.raw(
      'audio inside a video message of three chunks',
      chunk(0, { id: 6, time: 40, length: video.length, type: MESSAGE_TYPE.video, stream }, video.subarray(0, 128)),
      chunk(0, { id: 4, time: 41, type: MESSAGE_TYPE.audio, stream }, AAC_FRAME),
      chunk(3, { id: 6 }, video.subarray(128, 256)),
      chunk(1, { id: 4, time: 21, type: MESSAGE_TYPE.audio }, AAC_FRAME),
      chunk(3, { id: 6 }, video.subarray(256)),
    );
    await dialogue.expectServed();
  },
};

import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const chunkStreamsApart: Case = {
  id: 'chunks/chunk-streams-apart',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.1',
  level: 'must',
  title: 'Chunk streams 320 and 576, whose low bytes are equal, are two',
  async run(trial) {
    const dialogue = await trial.connected();
    const first = padded(20, 200);
    const second = padded(21, 200);
    await dialogue.raw(
      'createStream (20) on chunk stream 320 and (21) on 576, in turn',
      chunk(0, { id: 320, length: first.length }, first.subarray(0, 128)),
      chunk(0, { id: 576, length: second.length }, second.subarray(0, 128)),
      chunk(3, { id: 320 }, first.subarray(128)),
      chunk(3, { id: 576 }, second.subarray(128)),
    );
    await dialogue.expectAnswer(20);
    await dialogue.expectAnswer(21);
  },
};

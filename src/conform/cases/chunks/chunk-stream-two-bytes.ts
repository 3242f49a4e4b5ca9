import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const chunkStreamTwoBytes: Case = {
  id: 'chunks/chunk-stream-two-bytes',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.1',
  level: 'must',
  title: 'Chunk streams 64 to 319 are read in two bytes',
  async run(trial) {
    const dialogue = await trial.connected();
    for (const [at, id] of [64, 200, 319].entries()) {
      const body = padded(20 + at, 200);
      await dialogue.raw(
        `createStream (${20 + at}) on chunk stream ${id}`,
        chunk(0, { id, length: body.length }, body.subarray(0, 128)),
        chunk(3, { id }, body.subarray(128)),
      );
      await dialogue.expectAnswer(20 + at);
    }
  },
};

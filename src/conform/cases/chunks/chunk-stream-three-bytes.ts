import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const chunkStreamThreeBytes: Case = {
  id: 'chunks/chunk-stream-three-bytes',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.1',
  level: 'must',
  title: 'Chunk streams 320 to 65599 are read in three bytes',
  async run(trial) {
    const dialogue = await trial.connected();
    for (const [at, id] of [320, 1000, 65_599].entries()) {
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

import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const chunkStreamBothForms: Case = {
  id: 'chunks/chunk-stream-both-forms',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.1',
  level: 'should',
  title: 'Chunk streams 64 to 319 are the same in two bytes and in three',
  async run(trial) {
    const dialogue = await trial.connected();
    for (const [at, id] of [64, 200, 319].entries()) {
      const body = padded(20 + at, 200);
      await dialogue.raw(
        `createStream (${20 + at}) on chunk stream ${id}, begun in two bytes and continued in three`,
        chunk(0, { id, form: 2, length: body.length }, body.subarray(0, 128)),
        chunk(3, { id, form: 3 }, body.subarray(128)),
      );
      await dialogue.expectAnswer(20 + at);
    }
  },
};

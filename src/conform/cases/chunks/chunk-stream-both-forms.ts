import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const chunkStreamBothForms: Case = {
  id: 'chunks/chunk-stream-both-forms',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.1',
  level: 'should',
  title: 'Chunk stream 64 is the same in two bytes and in three',
  async run(trial) {
    const dialogue = await trial.connected();
    const body = padded(20, 200);
    await dialogue.raw(
      'createStream (20) on chunk stream 64, begun in the form of two bytes and continued in that of three',
      chunk(0, { id: 64, form: 2, length: body.length }, body.subarray(0, 128)),
      chunk(3, { id: 64, form: 3 }, body.subarray(128)),
    );
    await dialogue.expectAnswer(20);
  },
};

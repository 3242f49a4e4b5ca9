import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const interleaved: Case = {
  id: 'chunks/interleaved',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3',
  level: 'must',
  title: 'Chunks of two messages on two chunk streams may alternate',
  async run(trial) {
    const dialogue = await trial.connected();
    const first = padded(20, 200);
    const second = padded(21, 250);
    await dialogue.raw(
      'createStream (20) and (21), chunk by chunk in turn',
      chunk(0, { id: 3, length: first.length }, first.subarray(0, 128)),
      chunk(0, { id: 8, length: second.length }, second.subarray(0, 128)),
      chunk(3, { id: 3 }, first.subarray(128)),
      chunk(3, { id: 8 }, second.subarray(128)),
    );
    await dialogue.expectAnswer(20);
    await dialogue.expectAnswer(21);
  },
};

/** An encoder of DJI begins so; the message stream is then 0. */
import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const firstHeaderType1: Case = {
  id: 'chunks/first-header-type-1',
  group: 'chunks',
  clause: 'sallar/mac-local-rtmp-server#28',
  level: 'practice',
  title: 'A chunk stream may begin with a type 1 header',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.raw(
      'createStream (20) with type 1 on chunk stream 9, which is new',
      chunk(1, { id: 9 }, padded(20)),
    );
    await dialogue.expectAnswer(20);
  },
};

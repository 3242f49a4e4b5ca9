import type { Case } from '../../case.js';
import { chunk, joined, padded } from '../../wire.js';

export const splitAnywhere: Case = {
  id: 'chunks/split-anywhere',
  group: 'chunks',
  clause: 'RFC 9293 3.8',
  level: 'must',
  title: 'Chunk headers may be split over segments',
  async run(trial) {
    const dialogue = await trial.connected();
    const body = padded(20, 140);
    const bytes = joined(
      chunk(0, { id: 3, time: 0x100_0000, length: body.length }, body.subarray(0, 128)),
      chunk(3, { id: 3, repeats: 0x100_0000 }, body.subarray(128)),
    );
    for (const byte of bytes) await dialogue.raw('createStream (20) byte by byte', [byte]);
    await dialogue.expectAnswer(20);
  },
};

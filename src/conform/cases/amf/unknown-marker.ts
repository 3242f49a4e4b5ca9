import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const unknownMarker: Case = {
  id: 'amf/unknown-marker',
  group: 'amf',
  clause: 'AMF0 2.1',
  level: 'must',
  title: 'A marker that is not defined ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with a value of marker 0xee',
      hex('02 000c 63726561746553747265616d 00 4034000000000000 ee'),
    );
    await dialogue.expectSettled();
  },
};

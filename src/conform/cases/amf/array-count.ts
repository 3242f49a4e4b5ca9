import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const arrayCount: Case = {
  id: 'amf/array-count',
  group: 'amf',
  clause: 'AMF0 2.12',
  level: 'must',
  title: 'An array of 4,294,967,295 elements that are not there ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream with a strict array of count 0xffffffff',
      hex('02 000c 63726561746553747265616d 00 4034000000000000 0a ffffffff 05'),
    );
    await dialogue.expectSettled();
  },
};

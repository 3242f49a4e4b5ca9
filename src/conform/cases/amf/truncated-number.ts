import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const truncatedNumber: Case = {
  id: 'amf/truncated-number',
  group: 'amf',
  clause: 'AMF0 2.2',
  level: 'must',
  title: 'A number that ends with the message ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream whose number has 3 bytes',
      hex('02 000c 63726561746553747265616d 00 3ff000'),
    );
    await dialogue.expectSettled();
  },
};

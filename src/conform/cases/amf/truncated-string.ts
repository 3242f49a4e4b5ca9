import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const truncatedString: Case = {
  id: 'amf/truncated-string',
  group: 'amf',
  clause: 'AMF0 2.4',
  level: 'must',
  title: 'A string that ends with the message ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody('a string of 200 bytes of which 3 are there', hex('02 00c8 616263'));
    await dialogue.expectSettled();
  },
};

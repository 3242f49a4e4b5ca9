import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const cutShort: Case = {
  id: 'handshake/cut-short',
  group: 'handshake',
  clause: 'RFC 9293 3.6',
  level: 'must',
  title: 'A client that leaves in the middle of C1 harms no other',
  hostile: true,
  async run(trial) {
    for (const size of [1, 700, 1537]) {
      const dialogue = await trial.open();
      await dialogue.raw(`${size} bytes of C0 and C1, then a reset`, HELLO.subarray(0, size));
      dialogue.line.close('drop');
    }
  },
};

import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const headerInsideMessage: Case = {
  id: 'chunks/header-inside-message',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1',
  level: 'must',
  title: 'A new header inside an unfinished message ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    const body = padded(20, 300);
    await dialogue.raw(
      '128 of 300 bytes of createStream (20)',
      chunk(0, { id: 8, length: 300 }, body.subarray(0, 128)),
    );
    await dialogue.raw('createStream (21) with type 0 on the same chunk stream', chunk(0, { id: 8 }, padded(21)));
    await dialogue.seeEnd();
  },
};

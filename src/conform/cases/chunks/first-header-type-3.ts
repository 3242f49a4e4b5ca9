import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { chunk } from '../../wire.js';

export const firstHeaderType3: Case = {
  id: 'chunks/first-header-type-3',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3.1.2',
  level: 'must',
  title: 'A chunk stream that begins with type 3 ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.raw('type 3 on chunk stream 9, which is new', chunk(3, { id: 9 }, hex('17010000')));
    await dialogue.seeEnd();
  },
};

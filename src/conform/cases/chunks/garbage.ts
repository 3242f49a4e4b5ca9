import type { Case } from '../../case.js';

export const garbage: Case = {
  id: 'chunks/garbage',
  group: 'chunks',
  clause: 'RTMP 1.0 5.3',
  level: 'must',
  title: 'Bytes that are no chunks end at most their own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(1);
    await dialogue.raw('4096 bytes 0xff in place of chunks', new Uint8Array(4096).fill(0xff));
    await dialogue.seeEnd();
  },
};

import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

export const largeKeyFrame: Case = {
  id: 'publishing/large-key-frame',
  group: 'publishing',
  clause: 'FLV 10.1 E.4.3',
  level: 'should',
  title: 'A key frame of 900,000 bytes is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.chunkSize(4096);
    const frame = frameOf(900_000);
    frame[0] = 0x17;
    frame[9] = 0x65;
    await dialogue.video(frame, 2000, 'a key frame of 900,000 bytes');
    await dialogue.expectServed();
  },
};

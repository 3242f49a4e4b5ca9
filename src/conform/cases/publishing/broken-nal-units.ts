import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const brokenNalUnits: Case = {
  id: 'publishing/broken-nal-units',
  group: 'publishing',
  clause: 'ant-media/Ant-Media-Server#7825',
  level: 'must',
  title: 'Frames with broken lengths end at most their own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    for (const body of [
      '17 01 000000 ffffffff 65',
      '27 01 000000 00000000',
      '27 01 000000 0000',
      '17 00 000000 01',
      '17 00 000000 014d401e ff e1 ffff',
    ]) {
      await dialogue.video(hex(body), 200, `video ${body}`);
    }
    await dialogue.expectSettled();
  },
};

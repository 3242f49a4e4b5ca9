import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const hevc: Case = {
  id: 'enhanced/hevc',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'should',
  title: 'HEVC is read, or ends at most its own connection',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.video(
      hex('90 68766331 01 01600000 00 9000000000005df000fcfdf8f800000f00'),
      0,
      'sequence start of hvc1',
    );
    await dialogue.video(hex('91 68766331 000000 00000004 2601af08'), 0, 'coded frames of hvc1');
    await dialogue.expectSettled();
  },
};

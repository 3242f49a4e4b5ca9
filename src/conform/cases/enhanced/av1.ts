import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const av1: Case = {
  id: 'enhanced/av1',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'should',
  title: 'AV1 is read, or ends at most its own connection',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.video(hex('90 61763031 81 04 0c 00'), 0, 'sequence start of av01');
    await dialogue.video(hex('91 61763031 12000a0a'), 0, 'coded frames of av01');
    await dialogue.expectSettled();
  },
};

import type { Case } from '../../case.js';
import { ENHANCED_HEADER, ENHANCED_KEY_FRAME, hex } from '../../media.js';

export const sequenceEnd: Case = {
  id: 'enhanced/sequence-end',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'should',
  title: 'A sequence end is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.video(ENHANCED_HEADER, 0, 'sequence start of avc1');
    await dialogue.video(ENHANCED_KEY_FRAME, 0, 'coded frames of avc1');
    await dialogue.video(hex('92 61766331'), 40, 'sequence end of avc1');
    await dialogue.expectServed();
  },
};

import type { Case } from '../../case.js';
import { ENHANCED_HEADER, ENHANCED_KEY_FRAME, hex } from '../../media.js';
import { joined } from '../../wire.js';

export const codedFramesX: Case = {
  id: 'enhanced/coded-frames-x',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'should',
  title: 'Coded frames without a composition time are read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.video(ENHANCED_HEADER, 0, 'sequence start of avc1');
    await dialogue.video(joined(hex('93 61766331'), ENHANCED_KEY_FRAME.subarray(8)), 0, 'coded frames X of avc1');
    await dialogue.expectServed();
  },
};

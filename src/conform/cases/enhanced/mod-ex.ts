import type { Case } from '../../case.js';
import { ENHANCED_HEADER, ENHANCED_KEY_FRAME, hex } from '../../media.js';
import { joined } from '../../wire.js';

export const modEx: Case = {
  id: 'enhanced/mod-ex',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ModEx',
  level: 'should',
  title: 'A ModEx prefix with nanoseconds is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.video(ENHANCED_HEADER, 0, 'sequence start of avc1');
    await dialogue.video(
      joined(hex('97 02 0186a0 01 61766331'), ENHANCED_KEY_FRAME.subarray(5)),
      40,
      'ModEx of 100,000 ns, then coded frames',
    );
    await dialogue.expectServed();
  },
};

import type { Case } from '../../case.js';
import { ENHANCED_HEADER, ENHANCED_KEY_FRAME, hex } from '../../media.js';
import { joined } from '../../wire.js';

export const multitrack: Case = {
  id: 'enhanced/multitrack',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, Multitrack',
  level: 'should',
  title: 'A second video track in one-track messages is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.media(1);
    await dialogue.video(
      joined(hex('96 00 61766331 01'), ENHANCED_HEADER.subarray(5)),
      0,
      'track 1: sequence start of avc1',
    );
    await dialogue.video(
      joined(hex('96 01 61766331 01'), ENHANCED_KEY_FRAME.subarray(5)),
      0,
      'track 1: coded frames of avc1',
    );
    await dialogue.expectServed();
  },
};

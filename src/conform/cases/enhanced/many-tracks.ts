import type { Case } from '../../case.js';
import { ENHANCED_KEY_FRAME, hex } from '../../media.js';
import { joined } from '../../wire.js';

export const manyTracks: Case = {
  id: 'enhanced/many-tracks',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, Multitrack',
  level: 'should',
  title: 'Two tracks of one codec in one message are read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.media(1);
    const frame = ENHANCED_KEY_FRAME.subarray(5);
    const size = hex(frame.length.toString(16).padStart(6, '0'));
    await dialogue.video(
      joined(hex('96 11 61766331 00'), size, frame, hex('01'), size, frame),
      40,
      'two tracks of avc1',
    );
    await dialogue.expectServed();
  },
};

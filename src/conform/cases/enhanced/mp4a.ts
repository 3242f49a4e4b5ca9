import type { Case } from '../../case.js';
import { AAC_FRAME, hex } from '../../media.js';
import { joined } from '../../wire.js';

export const mp4a: Case = {
  id: 'enhanced/mp4a',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExAudioTagHeader',
  level: 'should',
  title: 'AAC in an extended audio header is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.audio(hex('90 6d703461 1190'), 0, 'sequence start of mp4a');
    await dialogue.audio(joined(hex('91 6d703461'), AAC_FRAME.subarray(2)), 0, 'coded frames of mp4a');
    await dialogue.expectServed();
  },
};

import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const multichannelConfig: Case = {
  id: 'enhanced/multichannel-config',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExAudioTagHeader',
  level: 'should',
  title: 'A multichannel configuration is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.audio(hex('90 6d703461 1190'), 0, 'sequence start of mp4a');
    await dialogue.audio(hex('94 6d703461 01 02 00000003'), 0, 'multichannel configuration of two channels');
    await dialogue.expectServed();
  },
};

import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { ENHANCED_HEADER, hex } from '../../media.js';
import { joined } from '../../wire.js';

export const metadataFrame: Case = {
  id: 'enhanced/metadata-frame',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'should',
  title: 'Metadata of colors in a video message is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.video(ENHANCED_HEADER, 0, 'sequence start of avc1');
    const colors = encodeAmf0('colorInfo', { colorConfig: { bitDepth: 8, colorPrimaries: 1 } });
    await dialogue.video(joined(hex('94 61766331'), colors), 0, 'metadata of avc1');
    await dialogue.expectServed();
  },
};

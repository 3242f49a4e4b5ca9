import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const unknownFourcc: Case = {
  id: 'enhanced/unknown-fourcc',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'must',
  title: 'A FourCC that is not defined ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.media(1);
    await dialogue.video(hex('91 7a7a7a7a 000000 00000001 65'), 40, 'coded frames of zzzz');
    await dialogue.video(hex('bf 01020304'), 80, 'an extended header with packet type 15');
    await dialogue.expectSettled();
  },
};

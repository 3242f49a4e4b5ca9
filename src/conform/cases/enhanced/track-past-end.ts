import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const trackPastEnd: Case = {
  id: 'enhanced/track-past-end',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, Multitrack',
  level: 'must',
  title: 'A track whose size is past the end of the message ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.media(1);
    await dialogue.video(hex('96 11 61766331 00 ffffff 0000'), 40, 'a track of 16,777,215 bytes, of which 2 are there');
    await dialogue.expectSettled();
  },
};

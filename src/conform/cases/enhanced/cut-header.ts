import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const cutHeader: Case = {
  id: 'enhanced/cut-header',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, ExVideoTagHeader',
  level: 'must',
  title: 'Extended headers that end early end at most their own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing({ capsEx: 0x0f, fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'] });
    await dialogue.media(1);
    for (const body of ['90', '91 6176', '96', '96 11 61766331', '97', '97 ff', '97 ff ffff'])
      await dialogue.video(hex(body), 40, `video ${body}`);
    for (const body of ['90', '91 6d', '95', '95 11 6d703461 00', '97 ff'])
      await dialogue.audio(hex(body), 40, `audio ${body}`);
    await dialogue.expectSettled();
  },
};

import type { Case } from '../../case.js';

export const fourccList: Case = {
  id: 'enhanced/fourcc-list',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'must',
  title: 'A connect with fourCcList is answered',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue, { fourCcList: ['av01', 'vp09', 'hvc1', 'avc1', 'mp4a', 'Opus'] });
    await dialogue.expectAnswer(1);
  },
};

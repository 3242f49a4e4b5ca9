import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const reconnects: Case = {
  id: 'limits/reconnects',
  group: 'limits',
  clause: 'arut/nginx-rtmp-module#1775',
  level: 'must',
  title: 'Thirty connections that come and go harm no other',
  hostile: true,
  async run(trial) {
    for (let at = 0; at < 15; at++) {
      const dialogue = await trial.open();
      await dialogue.raw('C0, C1, and gone', HELLO);
      dialogue.line.close('drop');
    }
    for (let at = 0; at < 15; at++) (await trial.connected()).line.close('drop');
  },
};

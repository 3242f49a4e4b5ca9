import type { Case } from '../../case.js';

export const pingWhilePublishing: Case = {
  id: 'control/ping-while-publishing',
  group: 'control',
  clause: 'DJI, iizukanao/node-rtsp-rtmp-server#27',
  level: 'practice',
  title: 'Ping requests are answered while a publish runs',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.expectPong(77);
    await dialogue.media(2, 200);
    await dialogue.expectPong(78);
  },
};

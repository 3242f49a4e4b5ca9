import type { Case } from '../../case.js';

export const ping: Case = {
  id: 'control/ping',
  group: 'control',
  clause: 'DJI, iizukanao/node-rtsp-rtmp-server#27',
  level: 'practice',
  title: "A client's ping request is answered",
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.expectPong(0x01020304);
  },
};

import type { Case } from '../../case.js';

export const checkbw: Case = {
  id: 'commands/checkbw',
  group: 'commands',
  clause: 'membraneframework/membrane_rtmp_plugin#81',
  level: 'practice',
  title: '_checkbw and getStreamLength do not end the connection',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, '_checkbw', 15, null);
    await dialogue.command(0, 'getStreamLength', 16, null, 'x');
    await dialogue.expectServed();
  },
};

/** Older OBS reconnects without end when it is sent. */
import type { Case } from '../../case.js';

export const noClose: Case = {
  id: 'commands/no-close',
  group: 'commands',
  clause: 'sergey-dryabzhinsky/nginx-rtmp-module#189',
  level: 'practice',
  title: 'The command close is not sent when a publish ends',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.command(0, 'FCUnpublish', 6, null, trial.key());
    await dialogue.command(0, 'deleteStream', 0, null, dialogue.streamId);
    await dialogue.expectSettled();
    const names = dialogue.heard.flatMap(({ command }) => command?.name ?? []);
    trial.check('no close', !names.includes('close'), names.slice(-3).join(', '));
  },
};

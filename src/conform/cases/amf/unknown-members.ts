/** OBS 28 and 29 sent supportsGoAway. */
import type { Case } from '../../case.js';
import { connectBody } from '../../wire.js';

export const unknownMembers: Case = {
  id: 'amf/unknown-members',
  group: 'amf',
  clause: 'obsproject/obs-studio#8959',
  level: 'should',
  title: 'Members of connect that the server does not know are ignored',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with supportsGoAway, fpad, capabilities and others',
      connectBody(trial.peer, {
        supportsGoAway: true,
        fpad: false,
        capabilities: 239,
        audioCodecs: 3575,
        pageUrl: 'x',
        other: null,
      }),
    );
    await dialogue.expectAnswer(1);
  },
};

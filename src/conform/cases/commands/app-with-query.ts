/** OBS takes all that follows the host as app: YouTube's own entry ends with a query. */
import type { Case } from '../../case.js';

export const appWithQuery: Case = {
  id: 'commands/app-with-query',
  group: 'commands',
  clause: 'ZLMediaKit/ZLMediaKit#2303',
  level: 'practice',
  title: 'An app with a query is connected',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue, { app: `${trial.peer.app}?backup=1`, tcUrl: `${trial.peer.tcUrl}?backup=1` });
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';

export const appWithSlash: Case = {
  id: 'commands/app-with-slash',
  group: 'commands',
  clause: 'pedroSG94/RootEncoder#1652',
  level: 'practice',
  title: 'An app with a slash at its end is connected',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue, { app: `${trial.peer.app}/`, tcUrl: `${trial.peer.tcUrl}/` });
    await dialogue.expectAnswer(1);
  },
};

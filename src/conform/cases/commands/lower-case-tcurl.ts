import type { Case } from '../../case.js';

export const lowerCaseTcurl: Case = {
  id: 'commands/lower-case-tcurl',
  group: 'commands',
  clause: 'bluenviron/gortmplib, server_conn',
  level: 'practice',
  title: 'A connect with the key tcurl in lower case is answered',
  async run(trial) {
    const dialogue = await trial.shaken();
    const { app, tcUrl } = trial.peer;
    await dialogue.command(0, 'connect', 1, { app, tcurl: tcUrl, FlashVer: 'camera' });
    await dialogue.expectAnswer(1, 'any');
  },
};

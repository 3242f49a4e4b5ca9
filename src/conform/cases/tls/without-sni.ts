/** Cameras that are given an address send none. */
import type { Case } from '../../case.js';

export const withoutSni: Case = {
  id: 'tls/without-sni',
  group: 'tls',
  clause: 'Axis, GoPro',
  level: 'practice',
  title: 'A client without a server name is accepted',
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.shaken({ tls: { servername: '', checkServerIdentity: () => undefined } });
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

/** Cameras send the name that they were given, also behind a proxy. */
import type { Case } from '../../case.js';

export const wrongSni: Case = {
  id: 'tls/wrong-sni',
  group: 'tls',
  clause: 'Axis, GoPro',
  level: 'practice',
  title: 'A client with another server name is accepted',
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.shaken({
      tls: { servername: 'camera.invalid', checkServerIdentity: () => undefined },
    });
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

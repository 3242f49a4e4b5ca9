import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const unfinishedHandshake: Case = {
  id: 'tls/unfinished-handshake',
  group: 'tls',
  clause: 'CWE-400',
  level: 'should',
  title: 'A TLS handshake that does not go on is closed within 65 s',
  waitsMs: 65_000,
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.open({ tls: 'none' });
    await dialogue.raw('3 bytes of a record', hex('160301'));
    await dialogue.expectClosed(65_000);
  },
};

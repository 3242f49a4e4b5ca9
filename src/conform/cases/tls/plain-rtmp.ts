import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const plainRtmp: Case = {
  id: 'tls/plain-rtmp',
  group: 'tls',
  clause: 'RFC 5246 7.2.2',
  level: 'must',
  title: 'Plain RTMP on the port of TLS is closed within 10 s',
  hostile: true,
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.open({ tls: 'none' });
    await dialogue.raw('C0, C1 without TLS', HELLO);
    await dialogue.expectClosed(10_000);
  },
};

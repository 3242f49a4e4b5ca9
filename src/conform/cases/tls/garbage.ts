import type { Case } from '../../case.js';

export const garbage: Case = {
  id: 'tls/garbage',
  group: 'tls',
  clause: 'RFC 5246 7.2.2',
  level: 'must',
  title: 'Bytes that are no TLS are closed within 10 s',
  hostile: true,
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.open({ tls: 'none' });
    await dialogue.raw('4096 bytes that are no record', new Uint8Array(4096).fill(0xff));
    await dialogue.expectClosed(10_000);
  },
};

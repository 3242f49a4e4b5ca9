import type { Case } from '../../case.js';

export const halfClosed: Case = {
  id: 'limits/half-closed',
  group: 'limits',
  clause: 'RFC 9293 3.6',
  level: 'must',
  title: 'A client that ends its side after connect is closed',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    trial.notes.sent.push('the end of its side of the connection');
    dialogue.line.close('end');
    await dialogue.expectClosed();
  },
};

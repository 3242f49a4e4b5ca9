import type { Case } from '../../case.js';

export const halfClosed: Case = {
  id: 'limits/half-closed',
  group: 'limits',
  clause: 'RFC 9293 3.6',
  level: 'should',
  title: 'A client that ends its side after connect is closed, not kept',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    trial.notes.sent.push('the end of its side of the connection');
    dialogue.line.close('half');
    await dialogue.expectClosed();
  },
};

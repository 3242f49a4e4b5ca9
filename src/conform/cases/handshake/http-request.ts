import type { Case } from '../../case.js';

export const httpRequest: Case = {
  id: 'handshake/http-request',
  group: 'handshake',
  clause: 'RFC 9112 3',
  level: 'practice',
  title: 'An HTTP request to the RTMP port is closed',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('GET / HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    await dialogue.expectClosed();
  },
};

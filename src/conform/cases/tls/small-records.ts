import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';
import { connectBody } from '../../wire.js';

export const smallRecords: Case = {
  id: 'tls/small-records',
  group: 'tls',
  clause: 'RFC 5246 6.2.1',
  level: 'must',
  title: 'RTMP in records of one byte is read',
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.open();
    for (const byte of HELLO.subarray(0, 200)) await dialogue.raw('C0, C1 byte by byte', [byte]);
    await dialogue.raw('the rest of C1', HELLO.subarray(200));
    const { s1 } = await dialogue.expectHandshake();
    await dialogue.raw('C2', s1);
    for (const byte of dialogue.encoder.encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, connectBody(trial.peer))) {
      await dialogue.raw('connect (1) byte by byte', [byte]);
    }
    await dialogue.expectAnswer(1);
  },
};

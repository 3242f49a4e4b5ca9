import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';
import { connectBody } from '../../wire.js';

export const c2WithConnect: Case = {
  id: 'handshake/c2-with-connect',
  group: 'handshake',
  clause: 'RFC 9293 3.8',
  level: 'must',
  title: 'C2 and connect in one segment are read like two',
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0, C1', HELLO);
    const { s1 } = await dialogue.expectHandshake();
    const connect = dialogue.encoder.encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, connectBody(trial.peer));
    await dialogue.raw('C2 and connect (1) in one write', s1, connect);
    await dialogue.expectAnswer(1);
  },
};

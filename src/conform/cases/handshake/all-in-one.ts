import { HANDSHAKE_BYTES } from '../../../rtmp/handshake/digest.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { HELLO } from '../../trial.js';
import { connectBody } from '../../wire.js';

export const allInOne: Case = {
  id: 'handshake/all-in-one',
  group: 'handshake',
  clause: 'media-fish/rtmp-server#5',
  level: 'should',
  title: 'C0, C1, C2 and connect in one segment are read like four',
  async run(trial) {
    const dialogue = await trial.open();
    const connect = dialogue.encoder.encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, connectBody(trial.peer));
    await dialogue.raw('C0, C1, C2 and connect (1) in one write', HELLO, filled(HANDSHAKE_BYTES, 7), connect);
    await dialogue.expectHandshake();
    await dialogue.expectAnswer(1);
  },
};

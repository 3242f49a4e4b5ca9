import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const amf3Connect: Case = {
  id: 'amf/amf3-connect',
  group: 'amf',
  clause: 'RTMP 1.0 7.1.1',
  level: 'should',
  title: 'A connect of type 17, with its format byte, is answered',
  async run(trial) {
    const dialogue = await trial.shaken();
    const body = joined(hex('00'), connectBody(trial.peer, { objectEncoding: 3 }));
    await dialogue.commandBody('connect (1) as message of type 17', body, 0, MESSAGE_TYPE.commandAmf3);
    await dialogue.expectAnswer(1);
  },
};

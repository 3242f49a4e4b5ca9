import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { hex } from '../../media.js';
import { connectBody, joined } from '../../wire.js';

export const amf3Commands: Case = {
  id: 'amf/amf3-commands',
  group: 'amf',
  clause: 'RTMP 1.0 7.1.1',
  level: 'should',
  title: 'A whole publish in messages of type 17 is accepted',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.shaken();
    const flex = (text: string, body: Uint8Array, stream = 0) =>
      dialogue.commandBody(`${text} as message of type 17`, joined(hex('00'), body), stream, MESSAGE_TYPE.commandAmf3);
    await flex('connect (1)', connectBody(trial.peer, { objectEncoding: 3 }));
    await dialogue.expectAnswer(1);
    await flex('createStream (2)', encodeAmf0('createStream', 2, null));
    await dialogue.expectAnswer(2);
    await flex('publish (3)', encodeAmf0('publish', 3, null, trial.key(), 'live'), 1);
    await dialogue.expectStatus('NetStream.Publish.Start');
  },
};

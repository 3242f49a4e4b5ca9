import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { padded } from '../../wire.js';

export const amf3WithoutFormatByte: Case = {
  id: 'amf/amf3-without-format-byte',
  group: 'amf',
  clause: 'arut/nginx-rtmp-module#313',
  level: 'practice',
  title: 'A command of type 17 without the format byte is answered',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'createStream (20) as message of type 17, without a byte before it',
      padded(20),
      0,
      MESSAGE_TYPE.commandAmf3,
    );
    await dialogue.expectAnswer(20);
  },
};

import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { padded } from '../../wire.js';

const ANSWER_MS = 8_000;

export const beforeTheAnswer: Case = {
  id: 'publishing/before-the-answer',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.1.3',
  level: 'practice',
  title: 'A publish on stream 1 in the segment of createStream starts, or is refused',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.connected();
    const create = dialogue.encoder.encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, padded(4));
    const publish = dialogue.encoder.encode(
      3,
      MESSAGE_TYPE.commandAmf0,
      1,
      0,
      encodeAmf0('publish', 5, null, trial.key(), 'live'),
    );
    await dialogue.raw('createStream (4) and publish (5) on stream 1 in one write', create, publish);
    const end = () => dialogue.statuses().at(0) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('an onStatus, or the end of the connection', end, ANSWER_MS);
  },
};

import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const abort: Case = {
  id: 'chunks/abort',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.2',
  level: 'must',
  title: 'Abort drops the unfinished message of a chunk stream, and the next one is read',
  async run(trial) {
    const dialogue = await trial.connected();
    const dropped = padded(20, 200);
    await dialogue.raw(
      '128 of 200 bytes of createStream (20)',
      chunk(0, { id: 8, length: 200 }, dropped.subarray(0, 128)),
    );
    await dialogue.control('Abort of chunk stream 8', MESSAGE_TYPE.abort, u32Body(8));
    await dialogue.raw('createStream (21) on chunk stream 8', chunk(0, { id: 8 }, padded(21)));
    await dialogue.expectAnswer(21);
    trial.check(
      'no answer to the aborted call',
      dialogue.answer(20) === undefined,
      'call 21 is answered, call 20 is not',
    );
  },
};

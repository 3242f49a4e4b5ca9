import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const abortThenType3: Case = {
  id: 'chunks/abort-then-type-3',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.2',
  level: 'should',
  title: 'After Abort a type 3 header begins a message like the one that was dropped',
  async run(trial) {
    const dialogue = await trial.connected();
    const dropped = padded(20, 200);
    const next = padded(21, 200);
    await dialogue.raw(
      '128 of 200 bytes of createStream (20)',
      chunk(0, { id: 8, length: 200 }, dropped.subarray(0, 128)),
    );
    await dialogue.control('Abort of chunk stream 8', MESSAGE_TYPE.abort, u32Body(8));
    await dialogue.raw(
      'createStream (21) of 200 bytes with type 3',
      chunk(3, { id: 8 }, next.subarray(0, 128)),
      chunk(3, { id: 8 }, next.subarray(128)),
    );
    await dialogue.expectAnswer(21);
    trial.check(
      'no answer to the aborted call',
      dialogue.answer(20) === undefined,
      'call 21 is answered, call 20 is not',
    );
  },
};

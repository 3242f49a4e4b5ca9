import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { padded } from '../../wire.js';

export const callsInOrder: Case = {
  id: 'commands/calls-in-order',
  group: 'commands',
  clause: 'RTMP 1.0 7.1.1',
  level: 'must',
  title: 'Calls in one segment are each answered, with their own transaction and in order',
  async run(trial) {
    const dialogue = await trial.connected();
    const calls = [31, 32, 33].map((id) => dialogue.encoder.encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, padded(id)));
    await dialogue.raw('createStream (31), (32) and (33) in one write', ...calls);
    for (const id of [31, 32, 33]) await dialogue.expectAnswer(id);
    const order = dialogue.heard.flatMap(({ command }) =>
      command !== undefined && command.transactionId > 30 ? [command.transactionId] : [],
    );
    trial.check('answers 31, 32, 33', order.join() === '31,32,33', order.join(', '));
  },
};

import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const answerEncoding: Case = {
  id: 'commands/answer-encoding',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'should',
  title: 'A client with objectEncoding 0 is answered in AMF0',
  async run(trial) {
    const dialogue = await trial.created();
    const types = new Set(dialogue.heard.flatMap(({ command, typeId }) => (command === undefined ? [] : [typeId])));
    trial.check(
      'messages of type 20',
      types.size === 1 && types.has(MESSAGE_TYPE.commandAmf0),
      `types ${[...types].join(', ')}`,
    );
  },
};

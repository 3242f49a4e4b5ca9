import { userControlBody } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const unknownEvent: Case = {
  id: 'control/unknown-event',
  group: 'control',
  clause: 'RTMP 1.0 7.1.7',
  level: 'should',
  title: 'User control events that are not defined are ignored',
  async run(trial) {
    const dialogue = await trial.connected();
    for (const event of [5, 31, 32, 200, 65_535]) {
      await dialogue.control(`user control event ${event}`, MESSAGE_TYPE.userControl, userControlBody(event, 1));
    }
    await dialogue.expectServed();
  },
};

import { userControlBody } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE, USER_CONTROL } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';

export const pingFlood: Case = {
  id: 'limits/ping-flood',
  group: 'limits',
  clause: 'RTMP 1.0 7.1.7',
  level: 'must',
  title: '5,000 ping requests end at most their own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    const body = userControlBody(USER_CONTROL.pingRequest, 1);
    for (let at = 0; at < 5_000 && !dialogue.line.isClosed; at++)
      await dialogue.control('ping requests', MESSAGE_TYPE.userControl, body);
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

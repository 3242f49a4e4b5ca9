import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const abortNothing: Case = {
  id: 'chunks/abort-nothing',
  group: 'chunks',
  clause: 'RTMP 1.0 5.4.2',
  level: 'should',
  title: 'Abort of a chunk stream without an unfinished message is ignored',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Abort of chunk stream 60, which is not in use', MESSAGE_TYPE.abort, u32Body(60));
    await dialogue.control('Abort of chunk stream 3', MESSAGE_TYPE.abort, u32Body(3));
    await dialogue.expectServed();
  },
};

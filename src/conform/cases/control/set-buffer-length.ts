import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE, USER_CONTROL } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const setBufferLength: Case = {
  id: 'control/set-buffer-length',
  group: 'control',
  clause: 'RTMP 1.0 7.1.7',
  level: 'must',
  title: 'Set Buffer Length is accepted',
  async run(trial) {
    const dialogue = await trial.created();
    const body = new Uint8Array([0, USER_CONTROL.setBufferLength, ...u32Body(1), ...u32Body(3000)]);
    await dialogue.control('Set Buffer Length 3000 ms of stream 1', MESSAGE_TYPE.userControl, body);
    await dialogue.expectServed();
  },
};

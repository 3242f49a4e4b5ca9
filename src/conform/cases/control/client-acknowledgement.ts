import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const clientAcknowledgement: Case = {
  id: 'control/client-acknowledgement',
  group: 'control',
  clause: 'RTMP 1.0 5.4.3',
  level: 'must',
  title: "A client's acknowledgement is accepted",
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.control('Acknowledgement 3300', MESSAGE_TYPE.acknowledgement, u32Body(3300));
    await dialogue.expectServed();
  },
};

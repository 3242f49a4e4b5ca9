import { setPeerBandwidthBody } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const clientPeerBandwidth: Case = {
  id: 'control/client-peer-bandwidth',
  group: 'control',
  clause: 'RTMP 1.0 5.4.5',
  level: 'must',
  title: "A client's Set Peer Bandwidth is accepted",
  async run(trial) {
    const dialogue = await trial.connected();
    for (const type of [0, 1, 2]) {
      await dialogue.control(
        `Set Peer Bandwidth, limit type ${type}`,
        MESSAGE_TYPE.setPeerBandwidth,
        setPeerBandwidthBody(2_500_000, type),
      );
    }
    await dialogue.expectServed();
  },
};

import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

export const tinyWindow: Case = {
  id: 'control/tiny-window',
  group: 'control',
  clause: 'RTMP 1.0 5.4.4',
  level: 'practice',
  title: 'A window of 1 byte does not cause an acknowledgement of every packet',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.control('Window Acknowledgement Size 1', MESSAGE_TYPE.windowAckSize, u32Body(1));
    await dialogue.media(1);
    for (let at = 1; at <= 60; at++) {
      await dialogue.video(frameOf(200), 40 * at);
      await dialogue.until(() => undefined, 2);
    }
    await dialogue.expectServed();
    const acks = dialogue.heard.filter(({ typeId }) => typeId === MESSAGE_TYPE.acknowledgement).length;
    trial.check('fewer than 30 acknowledgements of 60 packets', acks < 30, `${acks}`);
  },
};

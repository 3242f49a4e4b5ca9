import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

export const acknowledgement: Case = {
  id: 'control/acknowledgement',
  group: 'control',
  clause: 'RTMP 1.0 5.4.3',
  level: 'must',
  title: 'Acknowledgements come at the window that the client announced',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.control('Window Acknowledgement Size 100,000', MESSAGE_TYPE.windowAckSize, u32Body(100_000));
    await dialogue.media(1);
    for (let at = 1; at <= 10; at++) await dialogue.video(frameOf(50_000), 40 * at);
    await dialogue.expect('an acknowledgement', () =>
      dialogue.heard.find(({ typeId }) => typeId === MESSAGE_TYPE.acknowledgement),
    );
  },
};

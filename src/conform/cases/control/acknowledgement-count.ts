import { u32Body } from '../../../rtmp/messages/control.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { frameOf } from '../../media.js';

/** Chunk headers, the handshake and the commands. */
const SLACK_BYTES = 100_000;

export const acknowledgementCount: Case = {
  id: 'control/acknowledgement-count',
  group: 'control',
  clause: 'RTMP 1.0 5.4.3',
  level: 'must',
  title: 'An acknowledgement has the number of bytes received so far',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.control('Window Acknowledgement Size 100,000', MESSAGE_TYPE.windowAckSize, u32Body(100_000));
    await dialogue.media(1);
    let sent = 0;
    for (let at = 1; at <= 12; at++) {
      await dialogue.video(frameOf(50_000), 40 * at);
      sent += 50_000;
    }
    await dialogue.expectServed();
    const acks = dialogue.heard.filter(({ typeId }) => typeId === MESSAGE_TYPE.acknowledgement);
    if (acks.length === 0) trial.undecided('no acknowledgement came');
    const counts = acks.map(({ payload }) => Buffer.from(payload).readUInt32BE(0));
    const isRising = counts.every((count, at) => count > (counts[at - 1] ?? 0) && count < sent + SLACK_BYTES);
    trial.check('rising counts of at most what was sent', isRising, `${counts.join(', ')} of about ${sent}`);
  },
};

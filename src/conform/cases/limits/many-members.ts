import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { hex } from '../../media.js';
import { joined } from '../../wire.js';

export const manyMembers: Case = {
  id: 'limits/many-members',
  group: 'limits',
  clause: 'RTMP 1.0 7.1.2',
  level: 'must',
  title: 'Metadata with 50,000 members ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.chunkSize(65_536);
    const member = (at: number) => hex(`0005${Buffer.from(String(10_000 + at)).toString('hex')}05`);
    const body = joined(
      encodeAmf0('onMetaData'),
      hex('03'),
      ...Array.from({ length: 50_000 }, (_none, at) => member(at)),
      hex('0000 09'),
    );
    await dialogue.message('onMetaData with 50,000 members', MESSAGE_TYPE.dataAmf0, body, {
      stream: dialogue.streamId,
    });
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

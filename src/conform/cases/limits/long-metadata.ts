import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';

export const longMetadata: Case = {
  id: 'limits/long-metadata',
  group: 'limits',
  clause: 'RTMP 1.0 7.1.2',
  level: 'must',
  title: 'Metadata of 1 MB ends at most its own connection',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.chunkSize(65_536);
    const members = Object.fromEntries(Array.from({ length: 20 }, (_none, at) => [`m${at}`, 'x'.repeat(50_000)]));
    const body = encodeAmf0('@setDataFrame', 'onMetaData', members);
    await dialogue.message('onMetaData of 1 MB', MESSAGE_TYPE.dataAmf0, body, { stream: dialogue.streamId });
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

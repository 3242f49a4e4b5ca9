import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import type { Case } from '../../case.js';
import { CONFORM_LIMITS } from '../../limits.js';
import { joined } from '../../wire.js';

export const longCommand: Case = {
  id: 'limits/long-command',
  group: 'limits',
  clause: 'RTMP 1.0 7.1.1',
  level: 'must',
  title: 'A command of 2 MB ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.chunkSize(65_536);
    const body = joined(
      encodeAmf0('createStream', 20),
      ...Array.from({ length: 40 }, () => encodeAmf0('x'.repeat(50_000))),
    );
    await dialogue.commandBody('a createStream of 2 MB', body);
    await dialogue.expectSettled(CONFORM_LIMITS.floodMs);
  },
};

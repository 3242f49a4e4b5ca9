/** A server may read video without keeping it; metadata is kept until its end. */
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { chunk } from '../../wire.js';

/** 48 chunk streams of 64 KiB: 3 MiB each. */
const ROUNDS = 16;

export const unfinished48Mb: Case = {
  id: 'limits/unfinished-48-mb',
  group: 'limits',
  clause: 'RTMP 1.0 5.3',
  level: 'should',
  title: 'A client that sends 48 MB of unfinished metadata is closed before their end',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.chunkSize(65_536);
    const { streamId: stream } = dialogue;
    const part = filled(65_536);
    for (let round = 0; round < ROUNDS && !dialogue.line.isClosed; round++) {
      for (let id = 10; id < 58 && !dialogue.line.isClosed; id++) {
        const begins = chunk(0, { id, length: 8_000_000, type: MESSAGE_TYPE.dataAmf0, stream }, part);
        await dialogue.raw(
          'chunks of metadata of 8 MB on 48 chunk streams',
          round === 0 ? begins : chunk(3, { id }, part),
        );
      }
    }
    await dialogue.expectClosed();
  },
};

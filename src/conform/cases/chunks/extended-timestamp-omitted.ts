/** librtmp before 2.4 and OBS before 30.1 send so, from 4 h 39 min on. */
import type { Case } from '../../case.js';
import { chunk, padded } from '../../wire.js';

export const extendedTimestampOmitted: Case = {
  id: 'chunks/extended-timestamp-omitted',
  group: 'chunks',
  clause: 'obsproject/obs-studio#10097',
  level: 'practice',
  title: 'A sender that omits the extended timestamp in type 3 chunks is read',
  async run(trial) {
    const dialogue = await trial.connected();
    const body = padded(20, 300);
    await dialogue.raw(
      'createStream (20) at 20,000,000 ms in three chunks, of which the first has the time',
      chunk(0, { id: 3, time: 20_000_000, length: body.length }, body.subarray(0, 128)),
      chunk(3, { id: 3 }, body.subarray(128, 256)),
      chunk(3, { id: 3 }, body.subarray(256)),
    );
    await dialogue.expectAnswer(20);
  },
};

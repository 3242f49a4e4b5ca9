import type { Case } from '../../case.js';
import { AAC_FRAME, INTER_FRAME } from '../../media.js';

export const timesGoBack: Case = {
  id: 'publishing/times-go-back',
  group: 'publishing',
  clause: 'OvenMediaLabs/OvenMediaEngine#369',
  level: 'should',
  title: 'Timestamps that go back or jump do not end the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(3, 10_000);
    for (const timeMs of [9_000, 0, 600_000, 40, 4_294_967]) {
      await dialogue.video(INTER_FRAME, timeMs, `a video frame at ${timeMs} ms`);
      await dialogue.audio(AAC_FRAME, timeMs, `an AAC frame at ${timeMs} ms`);
    }
    await dialogue.expectServed();
  },
};

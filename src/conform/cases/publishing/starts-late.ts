import type { Case } from '../../case.js';

export const startsLate: Case = {
  id: 'publishing/starts-late',
  group: 'publishing',
  clause: 'ossrs/srs#2409',
  level: 'should',
  title: 'A stream whose times begin beyond 2^24 is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(5, 20_000_000);
    await dialogue.expectServed();
  },
};

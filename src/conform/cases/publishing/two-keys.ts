import type { Case } from '../../case.js';

export const twoKeys: Case = {
  id: 'publishing/two-keys',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'must',
  title: 'Two publishers with two keys run side by side',
  keys: 2,
  async run(trial) {
    const first = await trial.publishing({}, trial.key(0));
    const second = await trial.publishing({}, trial.key(1));
    await first.media();
    await second.media();
    await first.expectServed();
    await second.expectServed();
  },
};

import type { Case } from '../../case.js';

export const unknownCapabilities: Case = {
  id: 'enhanced/unknown-capabilities',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'should',
  title: 'Capabilities with bits that are not defined are ignored',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue, { capsEx: 0xff, fourCcList: ['*', 'zzzz'], videoFourCcInfoMap: { zzzz: 255 } });
    await dialogue.expectAnswer(1);
  },
};

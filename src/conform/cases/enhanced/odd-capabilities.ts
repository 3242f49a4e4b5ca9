import type { Case } from '../../case.js';

export const oddCapabilities: Case = {
  id: 'enhanced/odd-capabilities',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'should',
  title: 'Capabilities of wrong types are ignored',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue, { capsEx: 'x', fourCcList: 7, videoFourCcInfoMap: null, audioFourCcInfoMap: [1] });
    await dialogue.expectAnswer(1);
  },
};

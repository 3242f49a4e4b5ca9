import type { Case } from '../../case.js';
import { enhancedOffer } from '../../dialogue.js';

export const answerCapsEx: Case = {
  id: 'enhanced/answer-caps-ex',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'must',
  title: 'A capsEx in the answer is a number of known bits',
  async run(trial) {
    const dialogue = await trial.connected({
      capsEx: 0x0f,
      fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'],
      videoFourCcInfoMap: { '*': 4 },
    });
    const members =
      enhancedOffer(dialogue.answer(1)) ?? trial.skip('the peer does not say that it reads Enhanced RTMP');

    const { capsEx } = members;
    if (capsEx === undefined) trial.skip('the answer has no capsEx');
    const isFlags = typeof capsEx === 'number' && Number.isInteger(capsEx) && capsEx >= 0 && capsEx <= 0x0f;
    trial.check('a number from 0 to 15', isFlags, JSON.stringify(capsEx));
  },
};

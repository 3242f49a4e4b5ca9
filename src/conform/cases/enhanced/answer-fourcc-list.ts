import type { Case } from '../../case.js';
import { enhancedOffer } from '../../dialogue.js';

export const answerFourccList: Case = {
  id: 'enhanced/answer-fourcc-list',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'must',
  title: 'A fourCcList in the answer is a strict array of FourCCs',
  async run(trial) {
    const dialogue = await trial.connected({
      capsEx: 0x0f,
      fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'],
      videoFourCcInfoMap: { '*': 4 },
    });
    const members =
      enhancedOffer(dialogue.answer(1)) ?? trial.skip('the peer does not say that it reads Enhanced RTMP');

    const { fourCcList: list } = members;
    if (list === undefined) trial.skip('the answer has no fourCcList');
    const isList =
      Array.isArray(list) && list.every((code) => typeof code === 'string' && (code === '*' || code.length === 4));
    trial.check('texts of four characters, or *', isList, JSON.stringify(list));
  },
};

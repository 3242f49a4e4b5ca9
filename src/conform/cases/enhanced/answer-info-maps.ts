import { isAmfObject } from '../../../rtmp/amf/amf-value.js';
import type { Case } from '../../case.js';
import { enhancedOffer } from '../../dialogue.js';

export const answerInfoMaps: Case = {
  id: 'enhanced/answer-info-maps',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'must',
  title: 'Maps of codecs in the answer have flags of 1, 2 and 4',
  async run(trial) {
    const dialogue = await trial.connected({
      capsEx: 0x0f,
      fourCcList: ['avc1', 'hvc1', 'av01', 'mp4a'],
      videoFourCcInfoMap: { '*': 4 },
    });
    const members =
      enhancedOffer(dialogue.answer(1)) ?? trial.skip('the peer does not say that it reads Enhanced RTMP');

    const maps = [members.videoFourCcInfoMap, members.audioFourCcInfoMap].filter((map) => map !== undefined);
    if (maps.length === 0) trial.skip('the answer has no map of codecs');
    const isFlags = maps.every(
      (map) =>
        isAmfObject(map) && Object.values(map).every((flags) => typeof flags === 'number' && flags >= 0 && flags <= 7),
    );
    trial.check('numbers from 0 to 7', isFlags, JSON.stringify(maps));
  },
};

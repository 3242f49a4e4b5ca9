import type { Case } from '../../case.js';

export const fourccInfoMap: Case = {
  id: 'enhanced/fourcc-info-map',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'must',
  title: 'A connect with videoFourCcInfoMap and audioFourCcInfoMap is answered',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue, {
      capsEx: 0x0f,
      videoFourCcInfoMap: { '*': 4, avc1: 7 },
      audioFourCcInfoMap: { mp4a: 7 },
    });
    await dialogue.expectAnswer(1);
  },
};

import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const otherData: Case = {
  id: 'publishing/other-data',
  group: 'publishing',
  clause: 'bilibili/ijkplayer#3051',
  level: 'should',
  title: 'Data messages of other names are accepted',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    for (const name of ['onTextData', 'onCuePoint', 'onFI', '@clearDataFrame']) {
      const body = encodeAmf0(name, { text: 'x', time: 1 });
      await dialogue.message(name, MESSAGE_TYPE.dataAmf0, body, { stream: dialogue.streamId });
    }
    await dialogue.expectServed();
  },
};

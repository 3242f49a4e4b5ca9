import { amfObject } from '../../../rtmp/amf/amf-value.js';
import { EcmaArray, encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const metadataForms: Case = {
  id: 'publishing/metadata-forms',
  group: 'publishing',
  clause: 'RTMP 1.0 7.1.2',
  level: 'should',
  title: 'Metadata is read with and without @setDataFrame, as object and array, and again',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const members = { width: 640, height: 360, videocodecid: 'avc1', audiocodecid: 'mp4a' };
    const array = new EcmaArray(amfObject(members));
    const bodies = [
      encodeAmf0('onMetaData', members),
      encodeAmf0('onMetaData', array),
      encodeAmf0('@setDataFrame', 'onMetaData', members),
      encodeAmf0('@setDataFrame', 'onMetaData', array),
    ];
    for (const stream of [dialogue.streamId, 0]) {
      for (const body of bodies) await dialogue.message('onMetaData', MESSAGE_TYPE.dataAmf0, body, { stream });
    }
    await dialogue.media();
    await dialogue.expectServed();
  },
};

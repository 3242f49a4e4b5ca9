/** OBS and FFmpeg send the three without waiting for an answer. */
import { encodeAmf0 } from '../../../rtmp/amf/amf0-encoder.js';
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const obsBurst: Case = {
  id: 'commands/obs-burst',
  group: 'commands',
  clause: 'OBS, RTMP_ConnectStream',
  level: 'should',
  title: 'releaseStream, FCPublish and createStream in one segment are read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.connected();
    const encode = (name: string, id: number, ...values: string[]) =>
      dialogue.encoder.encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, encodeAmf0(name, id, null, ...values));
    const burst = [
      encode('releaseStream', 2, trial.key()),
      encode('FCPublish', 3, trial.key()),
      encode('createStream', 4),
    ];
    await dialogue.raw('releaseStream (2), FCPublish (3), createStream (4) in one write', ...burst);
    await dialogue.expectAnswer(4);
  },
};

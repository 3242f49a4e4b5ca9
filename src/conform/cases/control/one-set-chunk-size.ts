/** OBS reads no control message while it publishes: after a later one it misreads the server, and stops sending for 30 s. */
import { MESSAGE_TYPE } from '../../../rtmp/protocol.js';
import type { Case } from '../../case.js';

export const oneSetChunkSize: Case = {
  id: 'control/one-set-chunk-size',
  group: 'control',
  clause: 'OBS 29 to 32, librtmp',
  level: 'should',
  title: 'Set Chunk Size is not sent after the answer to connect',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.connected();
    const before = dialogue.heard.length;
    await trial.createStream(dialogue);
    const refusal = await trial.publish(dialogue, trial.key());
    if (refusal !== undefined) trial.undecided('the publish was refused');
    await dialogue.media();
    await dialogue.expectServed();
    const late = dialogue.heard.slice(before).filter(({ typeId }) => typeId === MESSAGE_TYPE.setChunkSize);
    trial.check('no Set Chunk Size after the result', late.length === 0, `${late.length} of them`);
  },
};

/** Encoders in use send a C2 of their own. */
import { HANDSHAKE_BYTES } from '../../../rtmp/handshake/digest.js';
import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { HELLO } from '../../trial.js';

export const anyC2: Case = {
  id: 'handshake/any-c2',
  group: 'handshake',
  clause: 'owncast/owncast#34',
  level: 'should',
  title: 'A C2 that does not repeat S1 is accepted',
  async run(trial) {
    const dialogue = await trial.open();
    await dialogue.raw('C0, C1', HELLO);
    await dialogue.expectHandshake();
    await dialogue.raw('C2 with other bytes than S1', filled(HANDSHAKE_BYTES, 99));
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

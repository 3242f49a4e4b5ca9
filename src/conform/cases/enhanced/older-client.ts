/** An older client may not read arrays in the answer. */
import type { Case } from '../../case.js';
import { enhancedOffer } from '../../dialogue.js';

export const olderClient: Case = {
  id: 'enhanced/older-client',
  group: 'enhanced',
  clause: 'Enhanced RTMP v2, connect',
  level: 'practice',
  title: 'A client without Enhanced RTMP is answered without it',
  async run(trial) {
    const dialogue = await trial.connected();
    const found = Object.keys(enhancedOffer(dialogue.answer(1)) ?? {});
    trial.check('none of its members', found.length === 0, found.length === 0 ? 'none' : found.join(', '));
  },
};

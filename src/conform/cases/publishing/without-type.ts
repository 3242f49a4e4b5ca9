/** Clients of Flash omit it. */
import type { Case } from '../../case.js';

export const withoutType: Case = {
  id: 'publishing/without-type',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'should',
  title: 'publish without the type live is accepted',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.created();
    await dialogue.command(dialogue.streamId, 'publish', 5, null, trial.key());
    await dialogue.expectStatus('NetStream.Publish.Start');
  },
};

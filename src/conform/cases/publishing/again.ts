import type { Case } from '../../case.js';

export const again: Case = {
  id: 'publishing/again',
  group: 'publishing',
  clause: 'ossrs/srs#477',
  level: 'should',
  title: 'After deleteStream a connection may create a stream and publish again',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.command(0, 'FCUnpublish', 6, null, trial.key());
    await dialogue.command(0, 'deleteStream', 0, null, dialogue.streamId);
    await dialogue.expectServed('createStream is answered after deleteStream');
    await trial.createStream(dialogue, 50);
    const before = dialogue.heard.length;
    await dialogue.command(dialogue.streamId, 'publish', 51, null, trial.key(), 'live');
    await dialogue.expectStatus('NetStream.Publish.Start', before);
  },
};

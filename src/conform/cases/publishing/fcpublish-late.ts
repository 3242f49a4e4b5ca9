/** IP cameras mix two styles of command. */
import type { Case } from '../../case.js';

export const fcpublishLate: Case = {
  id: 'publishing/fcpublish-late',
  group: 'publishing',
  clause: 'ossrs/srs#4588',
  level: 'practice',
  title: 'FCPublish and publish of the same name again do not end the stream',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    const before = dialogue.heard.length;
    await dialogue.command(0, 'FCPublish', 13, null, trial.key());
    await dialogue.command(dialogue.streamId, 'publish', 14, null, trial.key(), 'live');
    await dialogue.media(3, 200);
    await dialogue.expectServed();
    const ends = dialogue
      .statuses(before)
      .filter(({ info }) => /Unpublish/.test(`${info.code}`) || info.level === 'error');
    trial.check('no onStatus that ends it', ends.length === 0, ends.length === 0 ? 'none' : `${ends[0]?.info.code}`);
  },
};

import type { Case } from '../../case.js';

export const startOnce: Case = {
  id: 'publishing/start-once',
  group: 'publishing',
  clause: 'ossrs/srs#4037',
  level: 'should',
  title: 'NetStream.Publish.Start is sent once',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media(5);
    await dialogue.expectServed();
    const starts = dialogue.statuses().filter(({ info }) => info.code === 'NetStream.Publish.Start').length;
    trial.check('one', starts === 1, `${starts}`);
  },
};

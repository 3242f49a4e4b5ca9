import type { Case } from '../../case.js';

export const start: Case = {
  id: 'publishing/start',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'must',
  title: 'publish is answered with onStatus NetStream.Publish.Start of level status',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.created();
    await dialogue.command(dialogue.streamId, 'publish', 5, null, trial.key(), 'live');
    const { info } = await dialogue.expectStatus('NetStream.Publish.Start');
    trial.check('level status', info.level === 'status', `level ${info.level}`);
  },
};

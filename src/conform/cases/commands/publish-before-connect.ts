import type { Case } from '../../case.js';

const QUIET_MS = 500;

export const publishBeforeConnect: Case = {
  id: 'commands/publish-before-connect',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'should',
  title: 'publish before connect does not start a stream',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.command(1, 'publish', 5, null, trial.key(), 'live');
    await dialogue.until(() => dialogue.statuses().at(0), QUIET_MS);
    const isStarted = dialogue.statuses().some(({ info }) => info.code === 'NetStream.Publish.Start');
    trial.check('no NetStream.Publish.Start', !isStarted, isStarted ? 'NetStream.Publish.Start' : 'none');
  },
};

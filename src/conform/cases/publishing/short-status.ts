import type { Case } from '../../case.js';

export const shortStatus: Case = {
  id: 'publishing/short-status',
  group: 'publishing',
  clause: 'FFmpeg, librtmp',
  level: 'practice',
  title: 'Descriptions have at most 255 bytes',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.expectServed();
    const longest = Math.max(...dialogue.statuses().map(({ info }) => Buffer.byteLength(`${info.description}`)));
    trial.check('at most 255 bytes', longest <= 255, `${longest}`);
  },
};

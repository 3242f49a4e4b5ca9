import type { Case } from '../../case.js';

export const badNeighbor: Case = {
  id: 'publishing/bad-neighbor',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'must',
  title: 'A publisher goes on when another one sends garbage',
  keys: 2,
  hostile: true,
  async run(trial) {
    const good = await trial.publishing({}, trial.key(0));
    const bad = await trial.publishing({}, trial.key(1));
    await good.media();
    await bad.raw('the second publisher sends 4096 bytes 0xff', new Uint8Array(4096).fill(0xff));
    await bad.seeEnd();
    await good.media(3, 400);
    await good.expectServed('the first publisher is served');
  },
};

/** OBS adds a query to the key for its multitrack output, services for a region. */
import type { Case } from '../../case.js';

export const withQuery: Case = {
  id: 'publishing/with-query',
  group: 'publishing',
  clause: 'OvenMediaLabs/OvenMediaEngine#704',
  level: 'should',
  title: 'A key with a query is accepted',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing({}, `${trial.key()}?backup=0&note=a%20b`);
    await dialogue.media();
    await dialogue.expectServed();
  },
};

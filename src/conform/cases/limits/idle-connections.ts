import type { Case } from '../../case.js';

export const idleConnections: Case = {
  id: 'limits/idle-connections',
  group: 'limits',
  clause: 'RFC 9293 3.8',
  level: 'must',
  title: 'Thirty connections that send nothing do not keep others away',
  hostile: true,
  async run(trial) {
    const dialogues = await Promise.all(Array.from({ length: 30 }, () => trial.open()));
    const other = await trial.created();
    await other.expectServed(`a connection beside ${dialogues.length} idle ones is served`);
  },
};

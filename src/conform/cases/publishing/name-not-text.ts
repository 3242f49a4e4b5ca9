import type { Case } from '../../case.js';

const ANSWER_MS = 8_000;

export const nameNotText: Case = {
  id: 'publishing/name-not-text',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'must',
  title: 'A publish whose name is a number is answered, or ends its connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.created();
    await dialogue.command(dialogue.streamId, 'publish', 5, null, 5);
    const end = () => dialogue.statuses().at(0) ?? dialogue.answer(5) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('an onStatus, or the end of the connection', end, ANSWER_MS);
  },
};

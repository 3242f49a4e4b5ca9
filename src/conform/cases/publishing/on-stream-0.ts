import type { Case } from '../../case.js';

const ANSWER_MS = 8_000;

export const onStream0: Case = {
  id: 'publishing/on-stream-0',
  group: 'publishing',
  clause: 'Flash Media Live Encoder',
  level: 'practice',
  title: 'A publish on stream 0, without createStream, starts or is refused',
  keys: 1,
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.command(0, 'publish', 5, null, trial.key(), 'live');
    const end = () => dialogue.statuses().at(0) ?? dialogue.answer(5) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('an onStatus, or the end of the connection', end, ANSWER_MS);
  },
};

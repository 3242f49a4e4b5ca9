import type { Case } from '../../case.js';

const QUIET_MS = 300;

export const beforeConnect: Case = {
  id: 'commands/before-connect',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'createStream before connect ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.command(0, 'createStream', 4, null);
    await dialogue.until(() => dialogue.answer(4), QUIET_MS);
    if (dialogue.line.isClosed) return;
    await trial.connect(dialogue);
    const end = () => dialogue.answer(1) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('connect is answered, or the connection ends', end);
  },
};

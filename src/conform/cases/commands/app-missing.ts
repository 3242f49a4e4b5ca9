import type { Case } from '../../case.js';

export const appMissing: Case = {
  id: 'commands/app-missing',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'A connect without app is answered, or ends its connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.command(0, 'connect', 1, { tcUrl: trial.peer.tcUrl });
    const end = () => dialogue.answer(1) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('an answer, or the end of the connection', end);
  },
};

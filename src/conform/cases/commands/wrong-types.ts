import type { Case } from '../../case.js';

export const wrongTypes: Case = {
  id: 'commands/wrong-types',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1.1',
  level: 'must',
  title: 'A connect whose members have other types is answered, or ends its connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.command(0, 'connect', 1, { app: 7, tcUrl: null, flashVer: [1], objectEncoding: 'x' });
    const end = () => dialogue.answer(1) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('an answer, or the end of the connection', end);
  },
};

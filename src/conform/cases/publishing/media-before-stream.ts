import type { Case } from '../../case.js';

const QUIET_MS = 300;

export const mediaBeforeStream: Case = {
  id: 'publishing/media-before-stream',
  group: 'publishing',
  clause: 'RTMP 1.0 7.1.5',
  level: 'must',
  title: 'Media before connect ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.media();
    await dialogue.until(() => (dialogue.line.isClosed ? true : undefined), QUIET_MS);
    if (dialogue.line.isClosed) return;
    await trial.connect(dialogue);
    const end = () => dialogue.answer(1) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.expect('connect is answered, or the connection ends', end);
  },
};

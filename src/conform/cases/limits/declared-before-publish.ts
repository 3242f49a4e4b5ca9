import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { chunk } from '../../wire.js';

export const declaredBeforePublish: Case = {
  id: 'limits/declared-before-publish',
  group: 'limits',
  clause: 'RTMP 1.0 5.3.1.2.1',
  level: 'must',
  title: 'A command of 16,777,215 bytes before the publish ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.raw(
      'a command header of 16,777,215 bytes, and 128 of them',
      chunk(0, { id: 8, length: 0xff_ffff }, filled(128)),
    );
    await dialogue.expectSettled();
  },
};

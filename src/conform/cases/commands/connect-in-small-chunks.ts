/** The answer is longer than a chunk, so it tests the Set Chunk Size of the server. */
import type { Case } from '../../case.js';

export const connectInSmallChunks: Case = {
  id: 'commands/connect-in-small-chunks',
  group: 'commands',
  clause: 'RTMP 1.0 5.4.1',
  level: 'must',
  title: 'connect is answered in chunks that the client can read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await trial.connect(dialogue);
    const { command } = await dialogue.expectAnswer(1);
    trial.check(
      'an object and an information object',
      command !== undefined && command.args.length > 0,
      `${command?.args.length ?? 0} arguments`,
    );
  },
};

/** Larix reads no answer on other chunk streams. */
import type { Case } from '../../case.js';

export const chunkStreams: Case = {
  id: 'commands/chunk-streams',
  group: 'commands',
  clause: 'ossrs/srs#4683, #4723, #4724',
  level: 'practice',
  title: 'Answers of the connection come on chunk stream 3, those of the stream on 5',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const odd = dialogue.heard.flatMap((message) => {
      const { command, messageStreamId: stream, chunkStreamId: chunkStream } = message;
      const isRight = command === undefined || chunkStream === (stream === 0 ? 3 : 5);
      return isRight ? [] : [`${command?.name} of stream ${stream} on ${chunkStream}`];
    });
    trial.check('3 and 5', odd.length === 0, odd.length === 0 ? 'so' : odd.join(', '));
  },
};

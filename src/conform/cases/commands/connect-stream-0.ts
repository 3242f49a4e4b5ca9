import type { Case } from '../../case.js';

export const connectStream0: Case = {
  id: 'commands/connect-stream-0',
  group: 'commands',
  clause: 'RTMP 1.0 7.2.1',
  level: 'must',
  title: 'Answers to connect and createStream come on message stream 0',
  async run(trial) {
    const dialogue = await trial.created();
    const answers = [1, 4].map((id) => dialogue.answer(id)?.messageStreamId);
    trial.check(
      'both on stream 0',
      answers.every((stream) => stream === 0),
      `on streams ${answers.join(' and ')}`,
    );
  },
};

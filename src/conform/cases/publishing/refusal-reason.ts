import type { Case } from '../../case.js';

const ANSWER_MS = 8_000;

export const refusalReason: Case = {
  id: 'publishing/refusal-reason',
  group: 'publishing',
  clause: 'bluenviron/mediamtx#5657',
  level: 'should',
  title: 'A publish with an unknown key is refused with level error, a code and a description',
  async run(trial) {
    const dialogue = await trial.created();
    const name = 'conform-no-such-key';
    await dialogue.command(dialogue.streamId, 'publish', 5, null, name, 'live');
    const answered = () => dialogue.statuses().at(0) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.until(answered, ANSWER_MS);
    const info = dialogue.statuses().at(0)?.info;
    if (info?.code === 'NetStream.Publish.Start') trial.skip('the peer accepts any key');

    trial.check(
      'onStatus with level error',
      info?.level === 'error',
      info === undefined ? 'no onStatus' : `level ${info.level}`,
    );
    const isSaid = typeof info?.description === 'string' && info.description !== '';
    trial.check('a description', isSaid, `${info?.code}: ${info?.description}`);
  },
};

import type { Case } from '../../case.js';

const ANSWER_MS = 8_000;

export const oddNames: Case = {
  id: 'publishing/odd-names',
  group: 'publishing',
  clause: 'ant-media/Ant-Media-Server#6704',
  level: 'must',
  title: 'Names with slashes, dots, quotes and other characters are answered, or end their connection',
  hostile: true,
  async run(trial) {
    for (const name of ['../../x', 'a/b/c', 'a\'b"c', 'a b', 'schlüssel-😀', '?x=1', 'x'.repeat(300)]) {
      const dialogue = await trial.created();
      await dialogue.command(dialogue.streamId, 'publish', 5, null, name, 'live');
      const end = () => dialogue.statuses().at(0) ?? dialogue.answer(5) ?? (dialogue.line.isClosed ? true : undefined);
      await dialogue.expect('an onStatus, or the end of the connection', end, ANSWER_MS);
      dialogue.line.close('drop');
    }
  },
};

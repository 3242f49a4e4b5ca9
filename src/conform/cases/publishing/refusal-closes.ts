/** An encoder that waits for more shows no refusal until its own timeout, 30 s for OBS. */
import type { Case } from '../../case.js';

const ANSWER_MS = 8_000;

export const refusalCloses: Case = {
  id: 'publishing/refusal-closes',
  group: 'publishing',
  clause: 'OBS, rtmp2sink',
  level: 'practice',
  title: 'A refused connection is closed within 5 s',
  async run(trial) {
    const dialogue = await trial.created();
    const name = 'conform-no-such-key';
    await dialogue.command(dialogue.streamId, 'publish', 5, null, name, 'live');
    const answered = () => dialogue.statuses().at(0) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.until(answered, ANSWER_MS);
    const info = dialogue.statuses().at(0)?.info;
    if (info?.code === 'NetStream.Publish.Start') trial.skip('the peer accepts any key');

    await dialogue.expectClosed(5_000);
  },
};

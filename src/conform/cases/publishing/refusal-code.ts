/** OBS waits 30 s for another answer after any other code. */
import type { Case } from '../../case.js';

const ANSWER_MS = 8_000;

export const refusalCode: Case = {
  id: 'publishing/refusal-code',
  group: 'publishing',
  clause: 'OBS, RTMP_ConnectStream',
  level: 'practice',
  title: 'A refusal has a code that encoders know',
  async run(trial) {
    const dialogue = await trial.created();
    const name = 'conform-no-such-key';
    await dialogue.command(dialogue.streamId, 'publish', 5, null, name, 'live');
    const answered = () => dialogue.statuses().at(0) ?? (dialogue.line.isClosed ? true : undefined);
    await dialogue.until(answered, ANSWER_MS);
    const info = dialogue.statuses().at(0)?.info;
    if (info?.code === 'NetStream.Publish.Start') trial.skip('the peer accepts any key');

    const codes = [
      'NetStream.Publish.BadName',
      'NetStream.Publish.Denied',
      'NetStream.Publish.Rejected',
      'NetStream.Failed',
    ];
    trial.check(codes.join(', '), codes.includes(`${info?.code}`), `${info?.code ?? 'no onStatus'}`);
  },
};

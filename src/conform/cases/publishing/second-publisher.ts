import type { Case } from '../../case.js';
import { INTER_FRAME } from '../../media.js';

/** Servers may hold the second until they know whether the first is still there. */
const DECISION_MS = 10_000;
const SETTLE_MS = 700;

export const secondPublisher: Case = {
  id: 'publishing/second-publisher',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2.6',
  level: 'should',
  title: 'Of two publishers with one key, one publishes',
  keys: 1,
  async run(trial) {
    const first = await trial.publishing();
    await first.media(1);
    const second = await trial.created();
    await second.command(second.streamId, 'publish', 5, null, trial.key(), 'live');
    const decided = () =>
      second.statuses().find(({ info }) => /Publish\.(Start|BadName|Rejected|Denied)|Failed/.test(`${info.code}`));
    const endMs = performance.now() + DECISION_MS;
    for (let at = 1; decided() === undefined && !second.line.isClosed && performance.now() < endMs; at++) {
      await first.video(INTER_FRAME, 40 * at, 'the first publisher goes on');
      await second.until(decided, 200);
    }
    const code = decided()?.info.code ?? 'no onStatus';
    await trial.pause(SETTLE_MS);
    const isServed = async (dialogue: typeof first) =>
      dialogue.expectServed().then(
        () => true,
        () => false,
      );
    const [isFirst, isSecond] = [await isServed(first), code === 'NetStream.Publish.Start' && (await isServed(second))];
    trial.check(
      'one of the two',
      isFirst !== isSecond,
      `${code}; the first is ${isFirst ? 'served' : 'closed'}, the second ${isSecond ? 'publishes' : 'does not'}`,
    );
  },
};

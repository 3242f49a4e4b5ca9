/** Encoders that are refused or reconnect, many times in a row, leave nothing in memory. */
import { Airlock } from '../support/airlock.js';
import { residentMb } from '../support/process-memory.js';
import { Publisher } from '../support/publisher.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_RECORD: 'off' });
});
afterAll(() => airlock.stop());

test('does not grow memory over a hundred refusals and reconnects', async () => {
  const live = await airlock.createLive();
  const round = async (times: number, key: string) => {
    for (let i = 0; i < times; i++) {
      const publisher = await Publisher.open(airlock, key);
      publisher.cut();
    }
  };
  await round(30, '1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
  const beforeMb = residentMb(airlock.pid);
  await round(100, '1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
  await round(20, live.key);
  expect(residentMb(airlock.pid) - beforeMb).toBeLessThan(40);
  const publisher = await airlock.until(
    () => Publisher.open(airlock, live.key),
    (opened) => opened.statuses[0]?.code === 'NetStream.Publish.Start',
  );
  await publisher.stop();
});

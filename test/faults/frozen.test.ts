/** HAProxy as the documents configure it, in front of a machine that stands still. `test/long` has every kind of it. */
import { FrozenMachine } from '../support/frozen-machine.js';

test('a machine stands still: its encoders, and one that comes, are received by the other machine within 4 s', async () => {
  const site = await FrozenMachine.start();
  try {
    const { coming, staying } = await site.measure('all');
    expect(Math.max(coming, staying)).toBeLessThan(4);
  } finally {
    await site.stop();
  }
});

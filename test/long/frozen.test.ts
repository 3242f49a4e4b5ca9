/** A machine stands still behind HAProxy as docs/operations/two-machines.md sets it up. Prints how long its encoders waited. */
import { type Frozen, FrozenMachine } from '../support/frozen-machine.js';

const WITHIN_S = 4;

let site: FrozenMachine;
beforeAll(async () => {
  site = await FrozenMachine.start();
});
afterAll(() => site.stop());

test.each<Frozen>(['supervisor', 'ingest', 'all'])(
  'kill -STOP of %s: encoders are received by the other machine within 4 s',
  async (frozen) => {
    const { coming, staying } = await site.measure(frozen);
    process.stdout.write(`${frozen}: coming ${coming.toFixed(2)} s, staying ${staying.toFixed(2)} s\n`);
    expect(Math.max(coming, staying)).toBeLessThan(WITHIN_S);
  },
);

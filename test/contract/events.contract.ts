import { freshId, type StoreHarness } from './store.contract.js';

export function eventsContract(harness: StoreHarness): void {
  describe('leases', () => {
    test('have one holder, which may renew them, and are free after release', async () => {
      const store = harness.store();
      const key = `live:${freshId()}`;
      const lease = await store.leases.acquire(key, 'one', 60_000);
      expect(lease).toMatchObject({ key, holder: 'one', fence: expect.any(Number) });
      expect(await store.leases.acquire(key, 'two', 60_000)).toBeUndefined();
      expect(await store.leases.acquire(key, 'one', 60_000)).toEqual(lease);
      expect(await store.leases.renew(lease!, 60_000)).toBe(true);
      expect(await store.leases.holder(key)).toEqual(lease);
      await store.leases.release({ ...lease!, fence: lease!.fence - 1 });
      expect(await store.leases.holder(key)).toEqual(lease);
      await store.leases.release(lease!);
      expect(await store.leases.holder(key)).toBeUndefined();
      expect(await store.leases.renew(lease!, 60_000)).toBe(false);
      const next = await store.leases.acquire(key, 'two', 60_000);
      expect(next!.fence).toBeGreaterThan(lease!.fence);
      expect(await store.leases.renew(lease!, 60_000)).toBe(false);
    });

    test('are renewed, read and released in the order of the calls, also within one turn', async () => {
      const { leases, volatile } = harness.store();
      const key = `live:${freshId()}`;
      const lease = await leases.acquire(key, 'one', 60_000);
      const renewed = leases.renew(lease!, 60_000);
      const released = leases.release(lease!);
      expect(await renewed).toBe(true);
      await released;
      const saved = volatile.set(key, { value: 1 }, 60_000);
      expect(await volatile.get(key)).toEqual({ value: 1 });
      await saved;
    });

    test('expire, and the next holder has a higher fence', async () => {
      const store = harness.store();
      const key = `live:${freshId()}`;
      const lease = await store.leases.acquire(key, 'one', 80);
      await harness.pass(81, async () => (await store.leases.holder(key)) === undefined);
      expect(await store.leases.renew(lease!, 60_000)).toBe(false);
      const again = await store.leases.acquire(key, 'one', 60_000);
      expect(again!.fence).toBeGreaterThan(lease!.fence);
    });

    test('can be reclaimed after expiry unless another holder had the key since', async () => {
      const store = harness.store();
      const key = `live:${freshId()}`;
      const lease = await store.leases.acquire(key, 'one', 80);
      await harness.pass(81, async () => (await store.leases.holder(key)) === undefined);
      // Long enough that a busy machine finds the holder before it expires.
      expect(await store.leases.reclaim(lease!, 800)).toBe(true);
      expect(await store.leases.holder(key)).toEqual(lease);
      await harness.pass(801, async () => (await store.leases.holder(key)) === undefined);
      const other = await store.leases.acquire(key, 'two', 60_000);
      expect(await store.leases.reclaim(lease!, 60_000)).toBe(false);
      await store.leases.release(other!);
      expect(await store.leases.reclaim(lease!, 60_000)).toBe(false);
    });

    test('of a silent holder can be taken over, with a higher fence, by one other', async () => {
      const { leases } = harness.store();
      const key = `live:${freshId()}`;
      const lease = await leases.acquire(key, 'one', 60_000);
      const next = await leases.takeOver(lease!, 'two', 60_000);
      expect(next).toMatchObject({ key, holder: 'two' });
      expect(next!.fence).toBeGreaterThan(lease!.fence);
      expect(await leases.holder(key)).toEqual(next);
      expect(await leases.takeOver(lease!, 'three', 60_000)).toBeUndefined();
      expect(await leases.renew(lease!, 60_000)).toBe(false);
      expect(await leases.reclaim(lease!, 60_000)).toBe(false);
    });

    test('have a higher fence for a holder that takes over before the one before it was answered', async () => {
      const { leases } = harness.store();
      const key = `live:${freshId()}`;
      const acquired = leases.acquire(key, 'one', 60_000);
      const seen = await leases.holder(key);
      const next = await leases.takeOver(seen!, 'two', 60_000);
      const lease = await acquired;
      expect(lease).toEqual(seen);
      expect(next!.fence).toBeGreaterThan(lease!.fence);
      expect(await leases.reclaim(lease!, 60_000)).toBe(false);
      await leases.release(next!);
      const last = await leases.acquire(key, 'one', 60_000);
      expect(last!.fence).toBeGreaterThan(next!.fence);
    });

    test('have holders that are alive for as long as they prove it', async () => {
      const { leases } = harness.store();
      const holder = `holder-${freshId()}`;
      expect(await leases.isAlive(holder)).toBe(false);
      await leases.proveAlive(holder, 60_000);
      expect(await leases.isAlive(holder)).toBe(true);
      await leases.proveAlive(holder, 80);
      await harness.pass(81, async () => !(await leases.isAlive(holder)));
      expect(await leases.isAlive(holder)).toBe(false);
    });

    test('go to exactly one of several concurrent holders', async () => {
      const store = harness.store();
      const key = `live:${freshId()}`;
      const leases = await Promise.all(
        Array.from({ length: 10 }, (_, n) => store.leases.acquire(key, `h${n}`, 60_000)),
      );
      expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    test('have increasing fences across a restart', async () => {
      const key = `live:${freshId()}`;
      const before = await harness.store().leases.acquire(key, 'one', 60_000);
      await harness.store().leases.release(before!);
      const store = await harness.reopen();
      const after = await store.leases.acquire(key, 'two', 60_000);
      expect(after!.fence).toBeGreaterThan(before!.fence);
    });
  });

  describe('short-lived values', () => {
    test('are readable until they expire', async () => {
      const store = harness.store();
      const key = `health:${freshId()}`;
      const value = { kbps: 2_500, list: [1, null], text: 'é' };
      await store.volatile.set(key, value, 60_000);
      expect(await store.volatile.get(key)).toEqual(value);
      await store.volatile.set(key, false, 50);
      expect(await store.volatile.get(key)).toBe(false);
      await harness.pass(51, async () => (await store.volatile.get(key)) === undefined);
      expect(await store.volatile.get(key)).toBeUndefined();
      expect(await store.volatile.get('\0')).toBeUndefined();
    });

    test('of a group expire, and do not mix with those of another group or of none', async () => {
      const { volatile } = harness.store();
      const [one, two] = [`owner:${freshId()}`, `owner:${freshId()}`];
      const bounds = { max: 10, ttlMs: 60_000 };
      await volatile.setIn(one, 'a', { n: 1, text: 'é|' }, bounds);
      expect(await volatile.getIn(one, 'a')).toEqual({ n: 1, text: 'é|' });
      expect(await volatile.getIn(two, 'a')).toBeUndefined();
      expect(await volatile.get(one)).toBeUndefined();
      expect(await volatile.get('a')).toBeUndefined();
      await volatile.setIn(one, 'a', null, { max: 10, ttlMs: 50 });
      await volatile.setIn(one, 'b', false, bounds);
      await harness.pass(51, async () => (await volatile.getIn(one, 'a')) === undefined);
      expect([await volatile.getIn(one, 'a'), await volatile.getIn(one, 'b')]).toEqual([undefined, false]);
      expect(await volatile.getIn('\0', 'a')).toBeUndefined();
      expect(await volatile.getIn(one, '\0')).toBeUndefined();
      await expect(volatile.setIn(one, '\0', 1, bounds)).rejects.toThrow(RangeError);
    });

    test('of a group are at most as many as its bound: the one set longest ago makes room', async () => {
      const [one, two] = [`owner:${freshId()}`, `owner:${freshId()}`];
      const bounds = { max: 3, ttlMs: 60_000 };
      const held = async (group: string) => {
        const keys = ['a', 'b', 'c', 'd', 'e'];
        const { volatile } = harness.store();
        const values = await Promise.all(keys.map((key) => volatile.getIn(group, key)));
        return keys.filter((_key, index) => values[index] !== undefined).join('');
      };
      const set = (group: string, key: string) => harness.store().volatile.setIn(group, key, 1, bounds);
      await set(two, 'a');
      for (const key of ['a', 'b', 'c']) await set(one, key);
      // The order within a millisecond is not kept over a restart.
      await harness.pass(2, async () => true);
      for (const key of ['a', 'd']) await set(one, key);
      expect([await held(one), await held(two)]).toEqual(['acd', 'a']);
      await harness.reopen();
      await set(one, 'e');
      expect([await held(one), await held(two)]).toEqual(['ade', 'a']);
    });

    test('survive the process and still expire in time', async () => {
      const [long, short] = [`judge:${freshId()}`, `health:${freshId()}`];
      await harness.store().volatile.set(long, { startMs: 1 }, 60_000);
      await harness.store().volatile.set(short, { kbps: 2 }, 200);
      const store = await harness.reopen();
      expect(await store.volatile.get(long)).toEqual({ startMs: 1 });
      await harness.pass(201, async () => (await store.volatile.get(short)) === undefined);
      expect(await store.volatile.get(long)).toEqual({ startMs: 1 });
    });
  });

  describe('the bus', () => {
    test('delivers in order to each listener of the topic until it unsubscribes', async () => {
      const { bus } = harness.store();
      const topic = `t${freshId()}`;
      const seen: unknown[] = [];
      const others: unknown[] = [];
      await new Promise<void>((resolve) => {
        const stop = bus.subscribe(topic, (message, at) => {
          expect(at).toBe(topic);
          seen.push(message);
          if (seen.length < 50) return;
          stop();
          resolve();
        });
        bus.subscribe(`${topic}x`, (message) => others.push(message));
        for (let n = 0; n < 50; n += 1) bus.publish(topic, { n });
      });
      expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => ({ n })));
      expect(others).toEqual([]);
      await new Promise<void>((resolve) => {
        bus.subscribe(topic, () => resolve());
        bus.publish(topic, 'after');
      });
      expect(seen).toHaveLength(50);
    });

    test('continues when a listener throws', async () => {
      const { bus } = harness.store();
      const topic = `t${freshId()}`;
      await new Promise<void>((resolve) => {
        bus.subscribe(topic, () => {
          throw new Error('a listener at fault');
        });
        bus.subscribe(topic, () => resolve());
        bus.publish(topic, 1);
      });
    });
  });

  test('answers a ping', async () => {
    await expect(harness.store().ping()).resolves.toBeUndefined();
  });
}

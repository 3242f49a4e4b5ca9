import { TimeOrderedIds } from '../../../../src/server/system/system.js';

const clockAt = (wallMs: () => number) => ({ wallMs, monotonicMs: wallMs });

test('ids increase, also within a millisecond and after the clock was set back', () => {
  let nowMs = 1_800_000_000_000;
  const ids = new TimeOrderedIds(
    clockAt(() => nowMs),
    () => Uint8Array.of(255, 255, 255),
  );
  const made = Array.from({ length: 3_000_000 >> 6 }, () => ids.next());
  nowMs -= 60_000;
  made.push(ids.next());
  nowMs += 120_000;
  made.push(ids.next());
  for (let i = 1; i < made.length; i++) expect(BigInt(made[i]!) > BigInt(made[i - 1]!)).toBe(true);
});

test('ids are decimal and stay below 63 bits until 2090', () => {
  const ids = new TimeOrderedIds(
    clockAt(() => Date.UTC(2090, 0, 1)),
    () => Uint8Array.of(255, 255, 255),
  );
  const id = ids.next();
  expect(id).toMatch(/^[1-9]\d+$/);
  expect(BigInt(id) < 2n ** 63n).toBe(true);
});

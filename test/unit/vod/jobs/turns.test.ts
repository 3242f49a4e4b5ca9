import fc from 'fast-check';
import type { Lane } from '../../../../src/vod/jobs/job.js';
import { LANES } from '../../../../src/vod/jobs/limits.js';
import { blocksAnother, type QueuedJob, Turns } from '../../../../src/vod/jobs/turns.js';

const job = (id: string, lane: Lane = 'copy'): QueuedJob => ({ id, ownerId: id.replace(/\d+$/, ''), lane });
const jobs = (ids: string, lane?: Lane): QueuedJob[] => ids.split(' ').map((id) => job(id, lane));

/** Order of the jobs in a single slot. */
function inOneSlot(waiting: QueuedJob[], turns = new Turns({ ...LANES, copy: { slots: 1, perOwner: 1 } })): string[] {
  const left = [...waiting];
  const order: string[] = [];
  for (let next = turns.next(left, []); next !== undefined; next = turns.next(left, [])) {
    order.push(next.id);
    turns.taken(next);
    left.splice(left.indexOf(next), 1);
  }
  return order;
}

test('owners take turns, and the jobs of one owner keep their order', () => {
  expect(inOneSlot(jobs('a1 a2 a3 a4 b1 c1 b2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('a new owner is next, however many jobs of others wait', () => {
  const turns = new Turns();
  turns.taken(job('a1'));
  expect(turns.next(jobs('a2 a3 a4 b1'), jobs('a1'))?.id).toBe('b1');
});

test('an owner that sends its jobs one by one is not new each time', () => {
  const turns = new Turns();
  turns.taken(job('a1', 'long'));
  turns.taken(job('b1', 'long'));
  expect(turns.next(jobs('a2 c1 b2', 'long'), [])?.id).toBe('c1');
  turns.taken(job('c1', 'long'));
  expect(turns.next(jobs('b2 a2', 'long'), [])?.id).toBe('a2');
  turns.taken(job('a2', 'long'));
  expect(turns.next(jobs('a3 b2', 'long'), [])?.id).toBe('b2');
});

test('one owner never holds all slots of a lane that has several', () => {
  const turns = new Turns();
  expect(turns.next(jobs('a2', 'long'), jobs('a1', 'long'))).toBeUndefined();
  expect(turns.next(jobs('a2 b1', 'long'), jobs('a1', 'long'))?.id).toBe('b1');
  expect(turns.next(jobs('a3'), jobs('a1 a2'))).toBeUndefined();
  for (const { slots, perOwner } of Object.values(LANES)) expect(perOwner).toBeLessThan(Math.max(2, slots));
});

test('a full lane does not block other lanes', () => {
  const conversions = [...jobs('a1 b1', 'long'), job('c1', 'short')];
  const turns = new Turns();
  expect(turns.next([job('d1', 'long'), job('d2', 'short'), job('d3', 'copy')], conversions)?.id).toBe('d3');
  expect(turns.next([job('d1', 'long'), job('d4', 'publish')], conversions)?.id).toBe('d4');
  expect(turns.next([job('d1', 'long'), job('d2', 'short')], conversions)).toBeUndefined();
});

test('a job yields only to another owner without a free slot', () => {
  const running = jobs('a1', 'short');
  const [a1] = running;
  if (a1 === undefined) throw new Error('no job');
  expect(blocksAnother(a1, jobs('a2', 'short'), running)).toBe(false);
  expect(blocksAnother(a1, jobs('b1', 'copy'), running)).toBe(false);
  expect(blocksAnother(a1, jobs('a2 b1', 'short'), running)).toBe(true);
  expect(blocksAnother(a1, jobs('b1', 'short'), [])).toBe(false);
});

test('between two jobs of one owner in a slot, every other waiting owner has a turn', () => {
  const owners = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(owners, (names) => {
      const waiting = names.map((name, index) => job(`${name}${index}`));
      const order = inOneSlot(waiting).map((id) => id[0] ?? '');
      expect([...order].sort()).toEqual([...names].sort());
      order.forEach((owner, at) => {
        const next = order.indexOf(owner, at + 1);
        if (next < 0) return;
        const between = new Set(order.slice(at + 1, next));
        for (const other of new Set(order.slice(next + 1))) expect(other === owner || between.has(other)).toBe(true);
      });
    }),
  );
});

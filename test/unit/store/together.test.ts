import { Together } from '../../../src/store/remote/together.js';

/** Calls as they were sent; each answers with the squares of its numbers. */
function squares() {
  const calls: (readonly number[])[] = [];
  const together = new Together<number, number>(async (numbers) => {
    calls.push(numbers);
    return numbers.map((number) => number ** 2);
  });
  return { calls, together };
}

test('requests of one callback travel as one call, and each gets its own answer', async () => {
  const { calls, together } = squares();
  expect(await Promise.all([together.add(2), together.add(3)])).toEqual([4, 9]);
  expect(await together.add(4)).toBe(16);
  expect(calls).toEqual([[2, 3], [4]]);
});

test('a call has at most a hundred requests, in order', async () => {
  const { calls, together } = squares();
  const numbers = Array.from({ length: 250 }, (_, i) => i);
  const answers = await Promise.all(numbers.map((number) => together.add(number)));
  expect(answers).toEqual(numbers.map((number) => number ** 2));
  expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
});

test('a failed call fails its requests and no later one', async () => {
  let isAway = true;
  const together = new Together<number, number>(async (numbers) => {
    if (isAway) throw new Error('away');
    return numbers;
  });
  const [first, second] = await Promise.allSettled([together.add(1), together.add(2)]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await together.add(3)).toBe(3);
});

test('sends gathered calls before one that must not overtake them', async () => {
  const { calls, together } = squares();
  const answer = together.add(2);
  together.flush();
  expect(calls).toEqual([[2]]);
  together.flush();
  expect(await Promise.all([answer, together.add(3)])).toEqual([4, 9]);
  expect(calls).toEqual([[2], [3]]);
});

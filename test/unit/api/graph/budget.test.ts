import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { QueryBudget } from '../../../../src/api/graph/budget.js';

const cost = (rows: number, values = 0) => ({ rows, values, path: ['live_videos', 'errors'] });
const { rowsPerAnswer, answerBytes, valuesAtOnce } = API_LIMITS;

test('refuses at once a call that does not fit alone, and names the edges with most rows', async () => {
  const budget = new QueryBudget();
  await expect(budget.reserve(cost(rowsPerAnswer + 1))).rejects.toMatchObject({
    shape: { code: 100, status: 400, message: expect.stringMatching(/20001 rows, most of them in live_videos.errors/) },
  });
  await budget.reserve(cost(rowsPerAnswer));
});

test('a call waits in FIFO order for another to release unread rows', async () => {
  const budget = new QueryBudget();
  await budget.reserve(cost(15_000));
  const order: string[] = [];
  const second = budget.reserve(cost(10_000)).then(() => order.push('second'));
  const third = budget.reserve(cost(1)).then(() => order.push('third'));
  await Promise.resolve();
  expect(order).toEqual([]);
  budget.release(cost(15_000), 200);
  await Promise.all([second, third]);
  expect(order).toEqual(['second', 'third']);
});

test('read rows stay charged for later calls', async () => {
  const budget = new QueryBudget();
  await budget.reserve(cost(15_000));
  const [waits, fits] = [budget.reserve(cost(10_000)), budget.reserve(cost(5_000))];
  const refused = expect(waits).rejects.toMatchObject({ shape: { code: 100 } });
  budget.release(cost(15_000), 15_000);
  await refused;
  await fits;
});

test('calls of a batch run concurrently up to their values, and one alone may have more', async () => {
  const budget = new QueryBudget();
  const page = cost(101, valuesAtOnce / 2);
  const order: number[] = [];
  const calls = [0, 1, 2].map((n) => budget.reserve(page).then(() => order.push(n)));
  const large = budget.reserve(cost(101, valuesAtOnce * 10)).then(() => order.push(3));
  await Promise.all(calls.slice(0, 2));
  expect(order).toEqual([0, 1]);
  budget.release(page, 101);
  await calls[2];
  budget.release(page, 101);
  await Promise.resolve();
  expect(order).toEqual([0, 1, 2]);
  budget.release(page, 101);
  await large;
});

test('bytes are counted over all calls, and too many are error 1', () => {
  const budget = new QueryBudget();
  budget.addBytes(answerBytes);
  expect(() => budget.addBytes(1)).toThrow(/Please reduce the amount of data/);
});

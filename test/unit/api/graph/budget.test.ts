import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { QueryBudget } from '../../../../src/api/graph/budget.js';

const cost = (rows: number) => ({ rows, path: ['live_videos', 'errors'] });
const { rowsPerAnswer, answerBytes } = API_LIMITS;

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
  budget.release(15_000, 200);
  await Promise.all([second, third]);
  expect(order).toEqual(['second', 'third']);
});

test('read rows stay charged for later calls', async () => {
  const budget = new QueryBudget();
  await budget.reserve(cost(15_000));
  const [waits, fits] = [budget.reserve(cost(10_000)), budget.reserve(cost(5_000))];
  const refused = expect(waits).rejects.toMatchObject({ shape: { code: 100 } });
  budget.release(15_000, 15_000);
  await refused;
  await fits;
});

test('bytes are counted over all calls, and too many are error 1', () => {
  const budget = new QueryBudget();
  budget.addBytes(answerBytes);
  expect(() => budget.addBytes(1)).toThrow(/Please reduce the amount of data/);
});

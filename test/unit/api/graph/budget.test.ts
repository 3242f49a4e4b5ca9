import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { QueryBudget } from '../../../../src/api/graph/budget.js';

const cost = (rows: number) => ({ rows, path: ['live_videos', 'errors'] });
const { rowsPerAnswer, answerBytes } = API_LIMITS;

test('a call that does not fit alone is refused at once, and told where its rows are', async () => {
  const budget = new QueryBudget();
  await expect(budget.reserve(cost(rowsPerAnswer + 1))).rejects.toMatchObject({
    shape: { code: 100, status: 400, message: expect.stringMatching(/20001 rows, most of them in live_videos.errors/) },
  });
  await budget.reserve(cost(rowsPerAnswer));
});

test('a call waits for one that gives back what it did not read, in the order of asking', async () => {
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

test('rows that were read are gone for the calls that follow', async () => {
  const budget = new QueryBudget();
  await budget.reserve(cost(15_000));
  const [waits, fits] = [budget.reserve(cost(10_000)), budget.reserve(cost(5_000))];
  const refused = expect(waits).rejects.toMatchObject({ shape: { code: 100 } });
  budget.release(15_000, 15_000);
  await refused;
  await fits;
});

test('bytes are counted together, and too many are an error of the conventions', () => {
  const budget = new QueryBudget();
  budget.addBytes(answerBytes);
  expect(() => budget.addBytes(1)).toThrow(/Please reduce the amount of data/);
});

import { withTimeout } from '../../../src/lib/timeout.js';

const NEVER = new Promise<never>(() => undefined);
const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;

test('returns a timely answer and leaves no timer', async () => {
  const before = timers();
  const asked = withTimeout(Promise.resolve('answer'), 600_000, () => 'late');
  expect(timers()).toBe(before + 1);
  expect(await asked).toBe('answer');
  expect(timers()).toBe(before);
});

test('rejects with a timely failure and leaves no timer', async () => {
  const before = timers();
  await expect(withTimeout(Promise.reject(new Error('no')), 600_000, () => 'late')).rejects.toThrow('no');
  expect(timers()).toBe(before);
});

test('returns the fallback after the timeout', async () => {
  expect(await withTimeout(NEVER, 1, () => 'late')).toBe('late');
});

test('throws the error of the fallback after the timeout', async () => {
  const late = () => {
    throw new RangeError('late');
  };
  await expect(withTimeout(NEVER, 1, late)).rejects.toThrow(RangeError);
});

test('ignores a late failure', async () => {
  let fail: (error: Error) => void = () => undefined;
  const asked = new Promise<string>((_resolve, reject) => {
    fail = reject;
  });
  expect(await withTimeout(asked, 1, () => 'late')).toBe('late');
  fail(new Error('unheard'));
  await new Promise((resolve) => setImmediate(resolve));
});

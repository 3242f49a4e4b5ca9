import { Subscriptions } from '../../../../src/store/shared/subscriptions.js';
import { memoryLog, until } from '../../../support/store-harness.js';

function harness() {
  const sent: string[] = [];
  const subscriptions = new Subscriptions(memoryLog(), (command, topics) => sent.push(`${command} ${topics.join()}`));
  return { sent, subscriptions };
}

test('subscribes with the first listener of a topic and unsubscribes with the last, each once', () => {
  const { sent, subscriptions } = harness();
  const [first, second] = [
    subscriptions.subscribe('a', () => undefined),
    subscriptions.subscribe('a', () => undefined),
  ];
  first();
  first();
  expect(sent).toEqual(['subscribe a']);
  expect(subscriptions.isEmpty).toBe(false);
  second();
  expect(sent).toEqual(['subscribe a', 'unsubscribe a']);
  expect(subscriptions.isEmpty).toBe(true);
});

test('repeats the current subscriptions, and sends nothing without any', () => {
  const { sent, subscriptions } = harness();
  subscriptions.resend();
  expect(sent).toEqual([]);
  subscriptions.subscribe('a', () => undefined);
  const stop = subscriptions.subscribe('b', () => undefined);
  subscriptions.subscribe('c', () => undefined);
  stop();
  subscriptions.resend();
  expect(sent.at(-1)).toBe('subscribe a,c');
});

test('delivers to the listeners of this process, and to none after close', async () => {
  const { subscriptions } = harness();
  const got: unknown[] = [];
  subscriptions.subscribe('a', (message) => got.push(message));
  subscriptions.deliver('a', 1);
  await until(() => got.length === 1);
  subscriptions.close();
  subscriptions.deliver('a', 2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toEqual([1]);
});

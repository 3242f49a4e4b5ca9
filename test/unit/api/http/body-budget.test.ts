import { API_LIMITS } from '../../../../src/api/context/limits.js';
import { ByteCollector } from '../../../../src/api/http/body.js';
import { BodyMemory, ByteBudget } from '../../../../src/api/http/body-budget.js';

const busy = expect.objectContaining({ shape: expect.objectContaining({ code: 2, status: 503, isTransient: true }) });

test('a budget is bounded in total and per holder, and released bytes are available again', () => {
  const budget = new ByteBudget({ total: 10, perHolder: 6 });
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')];
  expect(first.take(4)).toBeUndefined();
  expect(second.take(3)).toBe('holder');
  expect(second.take(2)).toBeUndefined();
  expect(other.take(5)).toBe('total');
  expect(budget.held).toBe(6);
  first.release();
  first.release();
  expect(budget.held).toBe(2);
  expect(other.take(6)).toBeUndefined();
});

test('a body is charged to its address until its token is verified, then to the owner', () => {
  const memory = new BodyMemory();
  const { perHolder } = API_LIMITS.anonymousBodies;
  const body = memory.open('192.0.2.1');
  body.reserve(perHolder);
  expect(() => memory.open('192.0.2.1').reserve(1)).toThrow(busy);
  memory.open('192.0.2.2').reserve(1);
  body.transferTo('owner');
  memory.open('192.0.2.1').reserve(perHolder);
  body.reserve(API_LIMITS.verifiedBodies.perHolder - perHolder);
  expect(() => body.reserve(1)).toThrow(busy);
  body.release();
  expect(memory.held).toBe(perHolder + 1);
});

test('the largest request of an owner fits into its share', () => {
  expect(API_LIMITS.verifiedBodies.perHolder).toBeGreaterThanOrEqual(4 * API_LIMITS.imageBytes + API_LIMITS.bodyBytes);
  expect(API_LIMITS.anonymousBodies.perHolder).toBeGreaterThanOrEqual(API_LIMITS.bodyBytes);
});

test('collects the bytes, and reserves at most twice their number', () => {
  let reserved = 0;
  const collector = new ByteCollector(1_000, (bytes) => {
    reserved += bytes;
  });
  for (let n = 0; n < 600; n++) {
    expect(collector.push(Buffer.of(n % 256))).toBe(true);
    expect(reserved).toBeLessThanOrEqual(2 * (n + 1));
  }
  expect(collector.bytes()).toEqual(Buffer.from(Array.from({ length: 600 }, (_, n) => n % 256)));
  expect(collector.push(Buffer.alloc(401))).toBe(false);
  expect(collector.push(Buffer.alloc(400))).toBe(true);
  expect(reserved).toBe(1_000);
});

test('discards bytes whose reservation was refused', () => {
  const collector = new ByteCollector(1_000, () => {
    throw new Error('full');
  });
  expect(() => collector.push(Buffer.alloc(1))).toThrow('full');
  expect(collector.bytes()).toHaveLength(0);
});

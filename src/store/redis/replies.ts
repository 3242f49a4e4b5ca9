/** Replies arrive untyped. What is not of the shape that our own commands and scripts give is our fault. */

export function textOf(reply: unknown): string {
  if (typeof reply === 'string') return reply;
  if (typeof reply === 'number') return String(reply);
  throw new TypeError(`unexpected reply from Redis: ${typeof reply}`);
}

export function textOrNothing(reply: unknown): string | undefined {
  return reply === null || reply === undefined ? undefined : textOf(reply);
}

export function numberOf(reply: unknown): number {
  const value = Number(textOf(reply));
  if (Number.isNaN(value)) throw new TypeError('unexpected reply from Redis: not a number');
  return value;
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError(`unexpected reply from Redis: ${typeof reply} in place of a list`);
}

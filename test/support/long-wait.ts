/** A wait that the test's time limit ends says nothing of what it waited for; this does. */
import { inspect } from 'node:util';

const LONG_MS = 30_000;

/** Calls `what` once, when the wait is long. Call `over` in every case. */
export function sayWhenLong(what: () => string): { over(): void } {
  const timer = setTimeout(() => {
    process.stderr.write(`still waiting after ${LONG_MS / 1000} s for ${what().slice(0, 2000)}\n`);
  }, LONG_MS);
  timer.unref();
  return { over: () => clearTimeout(timer) };
}

export const shown = (value: unknown): string => inspect(value, { depth: 4, breakLength: 200 });

/**
 * Tests that `npm test` leaves to `npm run test:long`, which runs whole each file that imports this: the dear ones, where a
 * cheaper test of the same kind stays. `npm test` lists them as skipped.
 */
const isFull = process.env.TESTS_IN_FULL === '1';

/** Declares a test for `test:long`. */
export const inFull: jest.It = isFull ? test : test.skip;

/** The cases of a table that run now: all in `test:long`, otherwise the named ones. */
export function casesNow<T>(cases: readonly T[], isSample: (one: T, index: number) => boolean): readonly T[] {
  return isFull ? cases : cases.filter(isSample);
}

import { runInNewContext } from 'node:vm';

/** Ten thousand times what anything needs that is run here. */
const LONGEST_MS = 20_000;

/**
 * Runs it to its end, or throws when there is none to be seen: for inputs over which a reader whose time grows with the square
 * of their length would spend minutes.
 */
export function endsSoon<T>(run: () => T): T {
  return runInNewContext('run()', { run }, { timeout: LONGEST_MS }) as T;
}

/**
 * Flags of V8 for the server. Packets leave nothing behind for the garbage collector, so the 16 MB that Node takes for
 * each half of the young generation are memory for nothing, and so is a heap that may grow to twice what is alive.
 * They are command-line flags: set in a running process, the size of the young generation has no effect.
 */
export const V8_FLAGS: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=20'];

/** Those that this process was started without. A flag that the operator gave another value stays. */
export function missingV8Flags(execArgv: readonly string[], nodeOptions = ''): string[] {
  const given = new Set([...execArgv, ...nodeOptions.split(/\s+/)].map(nameOf));
  return V8_FLAGS.filter((flag) => !given.has(nameOf(flag)));
}

/** V8 takes underscores for hyphens. */
function nameOf(flag: string): string {
  return flag.replace(/=.*$/, '').replaceAll('_', '-');
}

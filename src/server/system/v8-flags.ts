/**
 * V8 flags for the server. Packets produce almost no garbage, so Node's default of 16 MB for each half of the young
 * generation and a heap of up to twice the live size waste memory. They must be command-line flags: setting the size of the
 * young generation in a running process has no effect.
 */
const PACKETS = ['--max-semi-space-size=4', '--heap-growing-percent=20'];

/** These processes compute little: compiled code and garbage collector threads would cost more memory than they save time. */
const LITTLE_WORK = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=20',
  '--optimize-for-size',
  '--single-threaded-gc',
];

export const V8_FLAGS = { ingest: PACKETS, store: PACKETS, media: LITTLE_WORK, web: PACKETS } as const;

/** The flags that this process was started without. A value set by the operator is kept. */
export function missingV8Flags(flags: readonly string[], execArgv: readonly string[], nodeOptions = ''): string[] {
  const given = new Set([...execArgv, ...nodeOptions.split(/\s+/)].map(nameOf));
  return flags.filter((flag) => !given.has(nameOf(flag)));
}

/** V8 treats underscores as hyphens. */
function nameOf(flag: string): string {
  return flag.replace(/=.*$/, '').replaceAll('_', '-');
}

import { setFlagsFromString } from 'node:v8';

/**
 * V8 flags for the server. They must be command-line flags: setting the size of the young generation in a running process has
 * no effect.
 *
 * Packets produce almost no garbage, so Node's default of 16 MB for each half of the young generation and a heap of up to twice
 * the live size waste memory.
 */
const NODE_MAJOR = Number(process.versions.node.split('.', 1)[0]);

/**
 * Optimizes a function after more runs than by default (a budget of 67,584): a start makes functions warm that hardly run again,
 * and the optimizing compiler maps 3 MB of the Node binary into the process that first uses it. Not for requests, which then
 * cost up to twice as much until their code is optimized. Newer versions of Node have no such flag.
 */
const optimizeLate = (budget: number): readonly string[] => (NODE_MAJOR < 22 ? [budgetFlag(budget)] : []);

const budgetFlag = (budget: number): string => `--interrupt-budget=${budget}`;

/** `IdleHeap` collects when work has ceased. */
const GIVES_BACK = '--expose-gc';

const INGEST_BUDGET = 400_000;

/**
 * A publish makes garbage and new state, so that many at once collect it often. Marking and scavenging on other threads took a
 * seventh of the process's CPU there, and optimizing functions that run once a publish another seventh. A function of the packet
 * path has used up the budget within a second with many publishers; with few, `optimizeSoon` lowers it.
 *
 * Marking in steps took a seventh of a publish: it was in progress for half of the time of 150 at once, and meanwhile each store
 * of a reference goes through a barrier. Without steps a full collection stops the process for 1.0 to 1.4 ms for each MB that is
 * alive: 20 ms with 150 publishers, 50 with 600. In real time with 150 there was none in 43 s.
 *
 * The path of a packet goes through small functions of many rooms: with twice the default of bytecode that may be inlined in one
 * function it takes 2 % less CPU in real time, with a third of the default 5 % more.
 */
const INGEST = [
  GIVES_BACK,
  '--max-semi-space-size=2',
  '--heap-growing-percent=20',
  '--single-threaded-gc',
  '--no-incremental-marking',
  '--max-inlined-bytecode-size-cumulative=2000',
  ...optimizeLate(INGEST_BUDGET),
];

/**
 * Requests are garbage once they are answered. With 2 MB, those that wait for Redis are copied and promoted, which takes an eighth
 * of the rate; with 8 MB it is no higher. The space grows with use.
 */
const WEB = ['--max-semi-space-size=4', '--heap-growing-percent=20', GIVES_BACK];

/**
 * Its answers are small and soon sent, and its heap of 10 MB is marked in milliseconds: helper threads took a third of its CPU.
 * Without the optimizing compiler it holds 4 MB less, and takes as much CPU for a publish: what it runs is LMDB and JSON.
 */
const STORE = [GIVES_BACK, '--max-semi-space-size=1', '--heap-growing-percent=20', '--single-threaded-gc', '--no-opt'];

/** These processes compute little: baseline code and garbage collector threads would cost more memory than they save time. */
const LITTLE_WORK = [
  GIVES_BACK,
  '--max-semi-space-size=1',
  '--heap-growing-percent=20',
  '--optimize-for-size',
  '--single-threaded-gc',
  '--no-sparkplug',
  ...optimizeLate(500_000),
];

export const V8_FLAGS = { ingest: INGEST, store: STORE, media: LITTLE_WORK, web: WEB, forward: LITTLE_WORK } as const;

/** For a process that is running already: the supervisor passes sockets and messages on, and needs no optimized code. */
export const SUPERVISOR_FLAG = '--no-opt';

/** The flags that this process was started without. A value set by the operator is kept. */
export function missingV8Flags(flags: readonly string[], execArgv: readonly string[], nodeOptions = ''): string[] {
  const given = new Set([...execArgv, ...nodeOptions.split(/\s+/)].map(nameOf));
  return flags.filter((flag) => !given.has(nameOf(flag)));
}

/** V8 treats underscores as hyphens, and `--no-` before a name as its opposite. */
function nameOf(flag: string): string {
  return flag
    .replace(/=.*$/, '')
    .replaceAll('_', '-')
    .replace(/^--no-/, '--');
}

/** A function of 100 bytes is optimized after 240 runs: eight seconds of frames of one stream. */
const SOON_BUDGET = 8_000;

/**
 * Has V8 optimize what runs for streams soon, while no herd begins: with the budget of a herd one stream stayed in baseline code
 * for minutes, where a packet takes up to twice the CPU. A budget applies to a function from its next interrupt on. Without effect
 * where the operator chose one, or this version of Node has none.
 */
export function optimizeSoon(isSoon: boolean): void {
  if (NODE_MAJOR >= 22 || !process.execArgv.includes(budgetFlag(INGEST_BUDGET))) return;
  setFlagsFromString(budgetFlag(isSoon ? SOON_BUDGET : INGEST_BUDGET));
}

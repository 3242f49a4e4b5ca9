/** The parts of the process that a command uses, so that tests can replace them. */
import type { Readable, Writable } from 'node:stream';
import { hasColors } from '../../lib/colors.js';
import { codeOf } from '../../lib/errors.js';
import { visibleLines } from '../../lib/visible.js';
import { EXIT, type ExitCode, explain, type StopSignal } from './exit.js';
import { UNWRAPPED } from './text-table.js';

export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** `--color` sets FORCE_COLOR or NO_COLOR in it, which the processes of a server inherit. */
  readonly env: Record<string, string | undefined>;
  readonly cwd: string;
  /** Resolves at the first stop signal; the second one ends the process, by default with 1. */
  untilStopped(codeOfSecond?: (signal: StopSignal) => ExitCode): Promise<StopSignal>;
  /** Keeps the process alive when its output cannot be written: for a command whose output is not its product. */
  outputMayFail(): void;
  /** Ends the process immediately. */
  exit(code: ExitCode): void;
}

/** Standard output: its width when it is a terminal that tells it, and whether text has colors. Other output is never wrapped. */
export function terminalOf({ stdout, env }: Pick<CliIo, 'stdout' | 'env'>): Terminal {
  const color = hasColors(stdout.isTTY === true, env);
  return { color, columns: stdout.isTTY === true && stdout.columns ? stdout.columns : UNWRAPPED };
}

export interface Terminal {
  readonly columns: number;
  readonly color: boolean;
}

/** Text of streams, titles and servers is part of most lines; no line that is printed has colors. */
export function printLine(stream: Writable, line = ''): void {
  stream.write(`${visibleLines(line)}\n`);
}

export function processIo(): CliIo {
  let mayFail = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!mayFail) failOnOutputError(error);
    });
  }
  return {
    // A getter: Node opens standard input on first access, which takes milliseconds.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    untilStopped,
    outputMayFail: () => {
      mayFail = true;
    },
    exit: (code) => process.exit(code),
  };
}

/** EPIPE (`| head`) is ignored and keeps the exit code of the command. Any other write error ends the process. */
function failOnOutputError(error: Error): void {
  if (codeOf(error) === 'EPIPE') return;
  printLine(process.stderr, `airlock: cannot write the output: ${explain(error)}`);
  process.exit(EXIT.usage);
}

const NPM_CHECK_MS = 500;

/** `npm start` and `npx` end at SIGTERM without passing it on: a server that they run would be left behind. */
function isRunByNpm({ npm_lifecycle_event: event }: NodeJS.ProcessEnv): boolean {
  return event === 'start' || event === 'npx';
}

function untilStopped(codeOfSecond: (signal: StopSignal) => ExitCode = () => EXIT.errorsFound): Promise<StopSignal> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(codeOfSecond(signal));
        isStopping = true;
        resolve(signal);
      });
    }
    if (isRunByNpm(process.env)) {
      const npm = process.ppid;
      const timer = setInterval(() => {
        if (process.ppid === npm) return;
        clearInterval(timer);
        isStopping = true;
        resolve('SIGTERM');
      }, NPM_CHECK_MS).unref();
    }
  });
}

/** What a command uses of the process it runs in, so that tests can run it in theirs. */
import type { Readable, Writable } from 'node:stream';
import { codeOf } from '../../lib/errors.js';
import { EXIT, type ExitCode, explain, type StopSignal } from './exit.js';

export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Resolves at the first request to stop; the second one ends the process, with 1 unless said otherwise. */
  untilStopped(codeOfSecond?: (signal: StopSignal) => ExitCode): Promise<StopSignal>;
  /** Ends the process, whatever still runs in it. */
  exit(code: ExitCode): void;
}

/** How wide standard output is, and whether it shows colours (https://no-color.org); nothing where it is no terminal. */
export function terminalOf({ stdout, env }: CliIo): { readonly columns?: number; readonly colour?: boolean } {
  if (stdout.isTTY !== true) return {};
  const colour = (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return { colour, ...(stdout.columns === undefined || stdout.columns === 0 ? {} : { columns: stdout.columns }) };
}

export function printLine(stream: Writable, line = ''): void {
  stream.write(`${line}\n`);
}

export function processIo(): CliIo {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', outputFault);
  return {
    // Node opens it when it is first named, which takes milliseconds.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    untilStopped,
    exit: (code) => process.exit(code),
  };
}

/** Who reads only the beginning (`| head`) wants no more, and the exit code stays that of the work. Nothing else may be lost. */
function outputFault(error: Error): void {
  if (codeOf(error) === 'EPIPE') return;
  process.stderr.write(`airlock: the output cannot be written: ${explain(error)}\n`);
  process.exit(EXIT.usage);
}

function untilStopped(codeOfSecond: (signal: StopSignal) => ExitCode = () => EXIT.errorsFound): Promise<StopSignal> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(codeOfSecond(signal));
        asked = true;
        resolve(signal);
      });
    }
  });
}

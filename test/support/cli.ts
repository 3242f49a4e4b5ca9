/** Runs a command line in this process and gives back what it wrote. */
import { Readable, Writable } from 'node:stream';
import type { StopSignal } from '../../src/cli/console/exit.js';
import { run } from '../../src/cli/program.js';

class Sink extends Writable {
  text = '';
  readonly #onText: (text: string) => unknown;

  constructor(onText: (text: string) => unknown = () => undefined) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    this.#onText(this.text);
    done();
  }
}

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCli(
  args: readonly string[],
  options: {
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    readonly stdin?: Readable;
    /** Both outputs are one, so wide. */
    readonly terminal?: { readonly columns: number };
    /** When it is stopped, and with which signal. Absent: never. */
    readonly stopped?: Promise<StopSignal>;
    /** Gets what standard output holds, after each write. */
    readonly onOutput?: (text: string) => unknown;
  } = {},
): Promise<CliRun> {
  const terminal = options.terminal === undefined ? {} : { isTTY: true, ...options.terminal };
  const stdout = Object.assign(new Sink(options.onOutput), terminal);
  const stderr = Object.assign(new Sink(), terminal);
  const code = await run(args, {
    stdin: options.stdin ?? Readable.from([]),
    stdout,
    stderr,
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    outputMayFail: () => undefined,
    untilStopped: () => options.stopped ?? new Promise(() => undefined),
    exit: (ended) => {
      throw new Error(`the process would end with ${ended}`);
    },
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** All command names, subcommands as `owner add`: those that the shell completes. */
export async function commandNames(): Promise<string[]> {
  const { stdout } = await runCli(['completion', 'bash']);
  return [...stdout.matchAll(/^ {4}"([a-z][a-z-]*(?: [a-z][a-z-]*)*)"\) words=/gm)].map(([, name = '']) => name);
}

/** Runs a program to its end, bounded in time and output. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { defined } from '../lib/objects.js';
import type { CagedRun } from './cage/cage.js';
import { killRun } from './cage/end-run.js';

export interface RunOptions {
  readonly timeoutMs: number;
  /** The run fails when the program writes more bytes. */
  readonly stdoutMax: number;
  /** Absent: empty. */
  readonly stdin?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** `stderr` holds the end of the program's error output, for the log. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: 'TOOL_FAILED' | 'TOOL_TIMEOUT' | 'TOOL_LIMIT' | 'TOOL_OUTPUT' | 'TOOL_MISSING' | 'TOOL_ABORTED';
  readonly stderr: string;
  constructor(code: ToolError['code'], message: string, stderr: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.stderr = stderr;
  }
}

const STDERR_KEPT = 4_000;

/** Resolves with the program's output as text. For a program outside of the sandbox. @throws ToolError */
export async function runTool(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  return (await outputOf(start(program, args, options), options)).toString('utf8');
}

/** Resolves with the output of a program in the sandbox once all that belongs to it has ended. @throws ToolError */
export async function runCaged(run: CagedRun, args: readonly string[], options: RunOptions): Promise<Buffer> {
  const child = start(run.program, [...run.args, ...args], { ...options, env: {} });
  const end = endWith(run, child);
  try {
    return await outputOf(child, options);
  } finally {
    await end();
  }
}

/** Ends a run when its program exits, since what it has started may keep its output open, or at the first call. */
export function endWith(run: CagedRun, child: ChildProcess): () => Promise<void> {
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= endRun(run, child);
    return ending;
  };
  child.once('exit', () => void end().catch(() => undefined));
  return end;
}

/** @throws ToolError when something of the run could not be ended */
async function endRun(run: CagedRun, child: ChildProcess): Promise<void> {
  if (!(await run.end(child))) throw new ToolError('TOOL_FAILED', 'its processes could not be ended', '');
}

type Started = ChildProcessByStdio<Writable, Readable, Readable>;

function start(program: string, args: readonly string[], { cwd, env }: RunOptions): Started {
  return spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true, ...defined({ cwd, env }) });
}

/** @throws ToolError */
function outputOf(child: Started, options: RunOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (child.pid === undefined) {
      // Without a free file descriptor the child has no pipes either.
      child.once('error', (cause) => reject(new ToolError('TOOL_MISSING', cause.message, '', { cause })));
      return;
    }
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let fault: ToolError['code'] | undefined;
    const stop = (code: ToolError['code']) => {
      fault ??= code;
      killRun(child);
      // Children of the program may keep the pipe open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => stop('TOOL_TIMEOUT'), options.timeoutMs);
    const abort = () => stop('TOOL_ABORTED');
    options.signal?.addEventListener('abort', abort);
    if (options.signal?.aborted) abort();
    child.stdout.on('data', (bytes: Buffer) => {
      size += bytes.length;
      if (size > options.stdoutMax) stop('TOOL_OUTPUT');
      else out.push(bytes);
    });
    child.stderr.on('data', (bytes: Buffer) => {
      stderr = (stderr + bytes.toString('latin1')).slice(-STDERR_KEPT);
    });
    const end = (code: ToolError['code'] | undefined, message: string, reason?: ErrorOptions) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      if (code === undefined) resolve(Buffer.concat(out));
      else reject(new ToolError(code, message, stderr, reason));
    };
    child.on('error', (cause) => end('TOOL_FAILED', cause.message, { cause }));
    child.once('close', (code, signal) => {
      if (fault !== undefined) end(fault, FAULTS[fault]);
      else if (code === 0) end(undefined, '');
      else if (NOT_RUN.includes(code)) end('TOOL_MISSING', lastLine(stderr));
      else end('TOOL_FAILED', lastLine(stderr) || `exited with ${code ?? signal}`);
    });
    // A program may close its input early; that is not an error.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin);
  });
}

/** Exit codes of a shell for a program that is missing or not executable. */
const NOT_RUN: readonly (number | null)[] = [126, 127];

const FAULTS: Readonly<Record<ToolError['code'], string>> = {
  TOOL_FAILED: 'failed',
  TOOL_TIMEOUT: 'timed out',
  TOOL_LIMIT: 'time limit exceeded',
  TOOL_OUTPUT: 'too much output',
  TOOL_MISSING: 'not found',
  TOOL_ABORTED: 'canceled',
};

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}

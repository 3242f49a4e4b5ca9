/** Runs a fluent-ffmpeg command to its end, bounded in time. */
import { ChildProcess } from 'node:child_process';
import type { FfmpegCommand } from 'fluent-ffmpeg';
import type { ConversionProgress } from '../ports/index.js';
import type { CagedRun } from './cage/cage.js';
import { killRun } from './cage/end-run.js';
import { endWith, ToolError } from './run-tool.js';

/** A conversion without output for this long hangs; moving the index of a large file to its front is silent for minutes. */
const STALL_MS = 900_000;
/** A killed program exits within milliseconds. */
const AFTER_KILL_MS = 1_000;

interface RunWith {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Told how much of `lengthMs` is done. */
  readonly progress?: ConversionProgress;
  readonly lengthMs?: number;
}

const TIME = /time=(\d+):(\d\d):(\d\d(?:\.\d+)?)/;

/** Settles once all that belongs to the run has ended. @throws ToolError */
export async function runCommand(command: FfmpegCommand, run: CagedRun, options: RunWith): Promise<void> {
  let end: () => Promise<unknown> = () => run.end(undefined);
  command.once('start', () => {
    const child = childOf(command);
    if (child !== undefined) end = endWith(run, child);
  });
  try {
    await settled(command, options);
  } finally {
    await end();
  }
}

/** fluent-ffmpeg keeps the child process in a member that its types omit. */
function childOf(command: FfmpegCommand): ChildProcess | undefined {
  const child: unknown = Reflect.get(command, 'ffmpegProc');
  return child instanceof ChildProcess ? child : undefined;
}

/** Settles once and leaves no timer or pipe behind: either would keep the process alive. */
function settled(command: FfmpegCommand, options: RunWith): Promise<void> {
  const { lengthMs = 0 } = options;
  return new Promise((resolve, reject) => {
    let fault: ToolError | undefined;
    let lines = '';
    let settled = false;
    let child: ChildProcess | undefined;
    let timer: NodeJS.Timeout | undefined;
    let giveUp: NodeJS.Timeout | undefined;
    const failed = (error: Error): ToolError =>
      fault ?? new ToolError('TOOL_FAILED', error.message.slice(0, 500), lines);
    const done = (settle: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      clearTimeout(giveUp);
      options.signal?.removeEventListener('abort', abort);
      // An input error settles before the program has ended, and fluent-ffmpeg then loses track of it.
      endChild(child);
      settle();
    };
    const stop = (error: ToolError) => {
      if (settled || fault !== undefined) return;
      fault = error;
      clearTimeout(timer);
      kill();
      // A grandchild, or a script in ffmpeg's place, may hold the pipe open indefinitely.
      giveUp = setTimeout(() => done(() => reject(error)), AFTER_KILL_MS).unref();
    };
    const kill = () => {
      if (child !== undefined) killRun(child);
    };
    const abort = () => stop(new ToolError('TOOL_ABORTED', 'canceled', lines));
    /** Lines may arrive after the end; the timer runs only while the program does. */
    const arm = (ms: number) => {
      clearTimeout(timer);
      if (settled || fault !== undefined) return;
      timer = setTimeout(() => stop(new ToolError('TOOL_TIMEOUT', 'timed out', lines)), ms).unref();
    };
    command.on('stderr', (line: string) => {
      lines = `${lines}${line}\n`.slice(-4_000);
      const time = TIME.exec(line);
      if (time === null || settled) return;
      const ms = (Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3])) * 1000;
      if (lengthMs > 0) options.progress?.report(Math.min(1, ms / lengthMs));
      if (options.timeoutMs === undefined) arm(STALL_MS);
    });
    command.on('start', () => {
      child = childOf(command);
      if (options.signal?.aborted) abort();
      // A kill before the start reached no process.
      if (fault !== undefined) kill();
    });
    command.on('end', () => done(resolve));
    command.on('error', (error: Error) => done(() => reject(failed(error))));
    options.signal?.addEventListener('abort', abort);
    arm(options.timeoutMs ?? STALL_MS);
    command.run();
  });
}

function endChild(child: ChildProcess | undefined): void {
  if (child === undefined) return;
  killRun(child);
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
}

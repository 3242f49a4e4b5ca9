/**
 * ffmpeg and ffprobe behind small scripts that bound memory, processor time and core files, lower the priority, and clear
 * the environment before the program starts: what a hostile file does to it stays small, and no secret is in its reach.
 * Where scripts cannot run (a folder mounted noexec, no /bin/sh) the programs run bare, and the log says so once.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../ports/index.js';
import type { ToolPaths } from './tool-paths.js';

export interface RunOptions {
  readonly timeoutMs: number;
  /** The run fails when the program writes more. */
  readonly stdoutMax: number;
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
}

/** `stderr` is its end, for the log. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: 'TOOL_FAILED' | 'TOOL_TIMEOUT' | 'TOOL_LIMIT' | 'TOOL_OUTPUT' | 'TOOL_MISSING' | 'TOOL_ABORTED';
  readonly stderr: string;
  constructor(code: ToolError['code'], message: string, stderr: string) {
    super(message);
    this.code = code;
    this.stderr = stderr;
  }
}

const PROBE = { memoryKib: 1_500_000, processorSeconds: 60 };
/** Encoding 1080p takes some 700 MB; eight hours of it take as long as they take. */
const CONVERT = { memoryKib: 6_000_000, processorSeconds: 172_800 };
const STARTING: RunOptions = { timeoutMs: 10_000, stdoutMax: 65_536 };
const STDERR_KEPT = 4_000;

export class LimitedTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;

  private constructor(paths: ToolPaths) {
    this.ffmpeg = paths.ffmpeg;
    this.ffprobe = paths.ffprobe;
  }

  /** `folder` gets the scripts; it may be shared by the processes of one machine. */
  static async open(paths: ToolPaths, folder: string, log: Log, signal?: AbortSignal): Promise<LimitedTools> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const scripts = {
      ffmpeg: script(join(folder, 'ffmpeg'), paths.ffmpeg, CONVERT),
      ffprobe: script(join(folder, 'ffprobe'), paths.ffprobe, PROBE),
    };
    const limited = new LimitedTools(scripts);
    const bare = new LimitedTools(paths);
    if (await limited.starts('ffprobe', signal)) return limited;
    if (await bare.starts('ffprobe', signal)) {
      log.warn({ folder }, 'ffprobe and ffmpeg run without limits on memory: scripts do not run there');
      return bare;
    }
    log.warn({ ...paths }, 'ffprobe does not run; recordings and uploads wait until it does');
    return limited;
  }

  /** Whether the program runs at all: a fault of a file and one of the program look alike from outside. */
  async starts(tool: 'ffmpeg' | 'ffprobe', signal?: AbortSignal): Promise<boolean> {
    try {
      await run(this[tool], ['-version'], { ...STARTING, ...(signal === undefined ? {} : { signal }) });
      return true;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  /** Runs ffprobe; resolves with what it wrote. @throws ToolError */
  probe(args: readonly string[], options: RunOptions): Promise<string> {
    return run(this.ffprobe, args, options);
  }
}

function script(path: string, program: string, limits: { memoryKib: number; processorSeconds: number }): string {
  const quoted = `'${program.replaceAll("'", "'\\''")}'`;
  const lines = [
    '#!/bin/sh',
    `ulimit -c 0 2>/dev/null`,
    `ulimit -v ${limits.memoryKib} 2>/dev/null`,
    `ulimit -t ${limits.processorSeconds} 2>/dev/null`,
    `exec env -i PATH="$PATH" HOME=/nonexistent LC_ALL=C nice -n 10 ${quoted} "$@"`,
  ];
  // Written anew each time: the program may have moved.
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o700 });
  chmodSync(path, 0o700);
  return path;
}

function run(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let fault: ToolError['code'] | undefined;
    const stop = (code: ToolError['code']) => {
      fault ??= code;
      child.kill('SIGKILL');
      // What it may have started itself finds nobody listening any more.
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
    const end = (code: ToolError['code'] | undefined, message: string) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      if (code === undefined) resolve(Buffer.concat(out).toString('utf8'));
      else reject(new ToolError(code, message, stderr));
    };
    child.once('error', (error) => end('TOOL_MISSING', error.message));
    child.once('close', (code, signal) => {
      if (fault !== undefined) end(fault, FAULTS[fault]);
      else if (code === 0) end(undefined, '');
      else if (NOT_RUN.includes(code)) end('TOOL_MISSING', lastLine(stderr));
      else end('TOOL_FAILED', lastLine(stderr) || `it ended with ${code ?? signal}`);
    });
    // A program that has seen enough closes its input; that is no fault.
    child.stdin.on('error', () => undefined);
    feed(child.stdin, options.stdin).catch(() => stop('TOOL_ABORTED'));
  });
}

/** What a shell ends with when the program is not there, or may not be run. */
const NOT_RUN: readonly (number | null)[] = [126, 127];

const FAULTS: Readonly<Record<ToolError['code'], string>> = {
  TOOL_FAILED: 'it failed',
  TOOL_TIMEOUT: 'it took too long',
  TOOL_LIMIT: 'it took longer than its input may',
  TOOL_OUTPUT: 'it said too much',
  TOOL_MISSING: 'it is not there',
  TOOL_ABORTED: 'it was stopped',
};

async function feed(
  stdin: NodeJS.WritableStream & { readonly destroyed?: boolean },
  source?: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const chunk of source ?? []) {
    if (stdin.destroyed === true) return;
    if (!stdin.write(chunk)) {
      await new Promise<void>((resolve) => {
        stdin.once('drain', resolve);
        stdin.once('close', resolve);
        stdin.once('error', () => resolve());
      });
    }
  }
  stdin.end();
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}

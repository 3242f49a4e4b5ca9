/**
 * ffmpeg and ffprobe behind small scripts that bound memory, processor time and core files, lower the priority, and clear
 * the environment before the program starts: what a hostile file does to it stays small, and no secret is in its reach.
 * Where scripts cannot run (a folder mounted noexec, no /bin/sh) the programs run bare, and the log says so once.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../ports/index.js';
import { type RunOptions, runTool, ToolError } from './run-tool.js';
import type { ToolPaths } from './tool-paths.js';

const PROBE = { memoryKib: 1_500_000, processorSeconds: 60 };
/** Encoding 1080p takes some 700 MB; eight hours of it take as long as they take. */
const CONVERT = { memoryKib: 6_000_000, processorSeconds: 172_800 };
const STARTING: RunOptions = { timeoutMs: 10_000, stdoutMax: 65_536 };

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
      await runTool(this[tool], ['-version'], { ...STARTING, ...(signal === undefined ? {} : { signal }) });
      return true;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  /** Runs ffprobe; resolves with what it wrote. @throws ToolError */
  probe(args: readonly string[], options: RunOptions): Promise<string> {
    return runTool(this.ffprobe, args, options);
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

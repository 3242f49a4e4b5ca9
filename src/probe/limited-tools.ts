/**
 * Starts ffmpeg and ffprobe through small scripts that bound memory, CPU time and core files, lower the priority, and clear
 * the environment: a hostile file can do little harm and reaches no secrets. Where scripts cannot run (a folder mounted
 * noexec, no /bin/sh) the programs run without limits, and one log line says so.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../lib/errors.js';
import type { Log } from '../ports/index.js';
import { type RunOptions, runTool, ToolError } from './run-tool.js';
import type { ToolPaths } from './tool-paths.js';

const PROBE = { memoryKib: 1_500_000, processorSeconds: 60 };
/** Encoding 1080p needs some 700 MB. The CPU time allows for long files. */
const CONVERT = { memoryKib: 6_000_000, processorSeconds: 172_800 };
const STARTING: RunOptions = { timeoutMs: 10_000, stdoutMax: 65_536 };

export class LimitedTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;

  private constructor(paths: ToolPaths) {
    this.ffmpeg = paths.ffmpeg;
    this.ffprobe = paths.ffprobe;
  }

  /** `folder` receives the scripts; processes of one machine may share it. */
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
      log.warn({ folder }, 'cannot run scripts in this folder; ffprobe and ffmpeg run without memory limits');
      return bare;
    }
    log.warn({ ...paths }, 'ffprobe cannot be run; recordings and uploads wait until it can');
    return limited;
  }

  /** Whether the program runs at all: a bad file and a broken program fail alike. */
  async starts(tool: 'ffmpeg' | 'ffprobe', signal?: AbortSignal): Promise<boolean> {
    try {
      await runTool(this[tool], ['-version'], { ...STARTING, ...(signal === undefined ? {} : { signal }) });
      return true;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  /** Runs ffprobe and resolves with its output. @throws ToolError */
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
  const text = `${lines.join('\n')}\n`;
  // Several processes use the folder: a script that another one is about to run cannot be open for writing.
  if (contentOf(path) === text) return path;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o700 });
  chmodSync(draft, 0o700);
  renameSync(draft, path);
  return path;
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

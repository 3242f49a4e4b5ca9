/** ffmpeg and ffprobe in their cage: a hostile file can do little harm and reaches no secrets. */
import { defined } from '../lib/objects.js';
import type { Log } from '../ports/index.js';
import type { Cage, CagedRun, CageJob } from './cage/cage.js';
import { PROBE, SAMPLE } from './cage/limits.js';
import { type RunOptions, runCaged, ToolError } from './run-tool.js';
import type { ToolPaths } from './tool-paths.js';

/** A busy machine took more than 10 s to start it, and a truncated file was reported as a missing tool. */
const STARTING: RunOptions = { timeoutMs: 30_000, stdoutMax: 65_536 };

export class LimitedTools {
  readonly #paths: ToolPaths;
  readonly #cage: Cage;

  private constructor(paths: ToolPaths, cage: Cage) {
    this.#paths = paths;
    this.#cage = cage;
  }

  static async open(paths: ToolPaths, cage: Cage, log: Log, signal?: AbortSignal): Promise<LimitedTools> {
    const tools = new LimitedTools(paths, cage);
    if (!(await tools.starts('ffprobe', signal))) {
      log.warn({ ...paths }, 'ffprobe cannot be run; recordings and uploads wait until it can');
    }
    return tools;
  }

  /** A run of a tool on one input, with one folder to write to. */
  enter(tool: keyof ToolPaths, job: Omit<CageJob, 'tool'>): CagedRun {
    return this.#cage.enter({ ...job, tool: this.#paths[tool] });
  }

  /**
   * Runs a tool to its end, and resolves with what it wrote to its output. `argsFor` gets the path by which the tool opens
   * the input; error messages name the input as the caller does.
   * @throws ToolError
   */
  async run(
    tool: keyof ToolPaths,
    job: Omit<CageJob, 'tool' | 'output'>,
    argsFor: (input: string) => readonly string[],
    options: Omit<RunOptions, 'env' | 'cwd'>,
  ): Promise<Buffer> {
    const run = this.enter(tool, job);
    try {
      return await runCaged(run, argsFor(run.input), options);
    } catch (error) {
      const { input } = job;
      if (!(error instanceof ToolError) || input === undefined) throw error;
      const named = (text: string) => text.replaceAll(`file:${run.input}`, `file:${input}`);
      throw new ToolError(error.code, named(error.message), named(error.stderr), { cause: error.cause });
    }
  }

  /** Whether the program runs at all: a bad file and a broken program fail alike. */
  async starts(tool: keyof ToolPaths, signal?: AbortSignal): Promise<boolean> {
    try {
      await this.run(tool, { limits: PROBE }, () => ['-version'], { ...STARTING, ...defined({ signal }) });
      return true;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  /** Runs ffprobe and resolves with its output. @throws ToolError */
  async probe(args: (input: string) => readonly string[], options: RunOptions, input?: string): Promise<string> {
    return (await this.run('ffprobe', { limits: PROBE, ...defined({ input }) }, args, options)).toString('utf8');
  }

  /** Runs ffmpeg on a sample that is piped in, and resolves with what it writes to its output. @throws ToolError */
  decode(args: readonly string[], options: RunOptions): Promise<Buffer> {
    return this.run('ffmpeg', { limits: SAMPLE }, () => args, options);
  }
}

/**
 * Runs ffmpeg for recordings and uploads, through fluent-ffmpeg: fast-start MP4 (stream copy where the codecs allow it)
 * and pictures. Inputs are opened by a forced demuxer, with the file and pipe protocols only.
 */
import { mkdtemp } from 'node:fs/promises';
import { basename } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FfmpegCommand } from 'fluent-ffmpeg';
import { codeOf, isCode } from '../lib/errors.js';
import { defined } from '../lib/objects.js';
import type { Conversion, PictureRequest } from '../ports/index.js';
import type { CagedRun } from './cage/cage.js';
import { type CageLimits, CONVERT, PICTURE } from './cage/limits.js';
import { RunFolder } from './cage/run-folder.js';
import { DECODERS } from './decoders.js';
import type { LimitedTools } from './limited-tools.js';
import type { Pool } from './pool.js';
import { runCommand } from './run-command.js';
import { ToolError } from './run-tool.js';

const PICTURE_TIMEOUT_MS = 60_000;
const ENCODE_VIDEO = [
  '-vsync',
  'vfr',
  '-c:v',
  'libx264',
  '-preset',
  'veryfast',
  '-crf',
  '21',
  '-pix_fmt',
  'yuv420p',
  '-g',
  '120',
];
/** Drops frames closer than 1/75 s (120 fps becomes 60) and never duplicates one, not even across a gap of hours. */
const FRAME_RATE = "select='isnan(prev_selected_t)+lt(t,prev_selected_t)+gte(t-prev_selected_t,1/75)'";
/** Even dimensions, square pixels, at most 1920 wide. */
const FIT = [
  '-vf',
  `${FRAME_RATE},scale='trunc(min(1920,iw*sar)/2)*2':'trunc(ih*min(1920,iw*sar)/(iw*sar)/2)*2',setsar=1`,
];
const ENCODE_AUDIO = ['-c:a', 'aac', '-b:a', '128k', '-ar', '48000', '-ac', '2'];

export class Converter {
  readonly #tools: LimitedTools;
  readonly #pool: Pool;

  constructor(tools: LimitedTools, pool: Pool) {
    this.#tools = tools;
    this.#pool = pool;
  }

  /** Writes a fast-start MP4. @throws ToolError, PoolFullError, and what the input throws */
  convert(conversion: Conversion): Promise<void> {
    return this.#pool.run(() => this.#blameTool(this.#withLimit(conversion)));
  }

  async #withLimit(conversion: Conversion): Promise<void> {
    const { limitMs, signal } = conversion;
    if (limitMs === undefined) return this.#convert(conversion);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limitMs);
    try {
      await this.#convert({
        ...conversion,
        signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      });
    } catch (error) {
      if (!(error instanceof ToolError) || !late.signal.aborted || signal?.aborted) throw error;
      throw new ToolError('TOOL_LIMIT', `time limit of ${Math.round(limitMs / 1000)} s exceeded`, error.stderr);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Distinguishes a bad file from a broken ffmpeg: if not even `-version` works, the file is not at fault. */
  async #blameTool(running: Promise<void>): Promise<void> {
    try {
      await running;
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'TOOL_FAILED' || (await this.#tools.starts('ffmpeg')))
        throw error;
      throw new ToolError('TOOL_MISSING', 'ffmpeg cannot be run', `${error.message}\n${error.stderr}`);
    }
  }

  #convert(conversion: Conversion): Promise<void> {
    return withOutputFolder(conversion.output, (folder, name) => this.#convertIn(folder, name, conversion));
  }

  async #convertIn(folder: string, name: string, conversion: Conversion): Promise<CagedRun> {
    const { input, demuxer, video, audio, lengthMs, progress, signal } = conversion;
    const fromPipe = typeof input !== 'string';
    const pipe = new PassThrough();
    const { command, run } = await this.#command({ input: fromPipe ? pipe : input, demuxer, folder, limits: CONVERT });
    command
      .outputOptions([
        ...(video === 'none'
          ? ['-vn']
          : ['-map', '0:v:0', ...(video === 'copy' ? ['-c:v', 'copy'] : [...ENCODE_VIDEO, ...FIT])]),
        ...(audio === 'none' ? ['-an'] : ['-map', '0:a:0', ...(audio === 'copy' ? ['-c:a', 'copy'] : ENCODE_AUDIO)]),
        ...[
          '-sn',
          '-dn',
          '-map_metadata',
          '-1',
          '-map_chapters',
          '-1',
          '-movflags',
          '+faststart',
          '-max_muxing_queue_size',
          '4096',
        ],
        ...['-f', 'mp4', '-y'],
      ])
      .output(`file:${name}`);
    const stop = new AbortController();
    const ended = runCommand(command, run, {
      signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
      ...defined({ lengthMs, progress }),
    });
    if (!fromPipe) {
      await ended;
      return run;
    }
    const [feeding, running] = await Promise.allSettled([
      pipeline(Readable.from(input, { objectMode: false }), pipe).catch((error: unknown) => {
        stop.abort();
        throw error;
      }),
      ended.finally(() => pipe.destroy()),
    ]);
    // An input error takes precedence over the ffmpeg error that it causes.
    if (feeding.status === 'rejected' && !isClosedPipe(feeding.reason)) throw feeding.reason;
    if (running.status === 'rejected') throw running.reason;
    return run;
  }

  /** Writes the frame at `positionMs` as a JPEG, at most 1280 wide. @throws ToolError, PoolFullError */
  picture({ input, demuxer, positionMs, output, signal }: PictureRequest): Promise<void> {
    const before = ['-ss', (positionMs / 1000).toFixed(3)];
    const limits = { timeoutMs: PICTURE_TIMEOUT_MS, ...defined({ signal }) };
    return this.#pool.run(() =>
      withOutputFolder(output, async (folder, name) => {
        const { command, run } = await this.#command({ input, demuxer, folder, limits: PICTURE, before });
        command
          .outputOptions(['-an', '-sn', '-dn', '-map', '0:v:0', '-frames:v', '1', '-q:v', '4', '-threads', '1'])
          .outputOptions(['-vf', "scale='trunc(min(1280,iw*sar)/2)*2':-2,setsar=1"])
          .outputOptions(['-f', 'image2', '-update', '1', '-y'])
          .output(`file:${name}`);
        await this.#blameTool(runCommand(command, run, limits));
        return run;
      }),
    );
  }

  async #command({ input, demuxer, folder, limits, before = [] }: CommandOptions): Promise<Started> {
    // On demand: a server that has converted nothing yet does not hold the library.
    const { default: ffmpeg } = await import('fluent-ffmpeg');
    const isFile = typeof input === 'string';
    const run = this.#tools.enter('ffmpeg', { limits, output: folder, ...(isFile ? { input } : {}) });
    const command = ffmpeg({ logger: undefined, ...defined({ cwd: run.cwd }) });
    // Otherwise fluent-ffmpeg first queries formats and encoders, in processes that cannot be stopped.
    Object.assign(command, {
      _checkCapabilities: (next: (error?: Error) => void) => next(),
      availableEncoders: (next: (error: Error | null, encoders: object) => void) => next(null, {}),
    });
    const options = [
      '-hide_banner',
      ...(isFile ? ['-nostdin'] : []),
      '-protocol_whitelist',
      'file,pipe',
      '-f',
      demuxer,
    ];
    // The options of the first input come first, so the arguments of the cage precede those of ffmpeg. Several
    // arguments, not an array, in which fluent-ffmpeg would split elements at spaces.
    command
      .setFfmpegPath(run.program)
      .input(isFile ? `file:${run.input}` : input)
      .inputOptions(...run.args, ...options, '-codec_whitelist', DECODERS, ...before);
    return { command, run };
  }
}

/** Its run is to be ended. */
interface Started {
  readonly command: FfmpegCommand;
  readonly run: CagedRun;
}

interface CommandOptions {
  readonly input: string | PassThrough;
  readonly demuxer: string;
  /** The only folder that ffmpeg may write to. */
  readonly folder: string;
  readonly limits: CageLimits;
  /** Options of the input. */
  readonly before?: readonly string[];
}

function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error));
}

/** A run writes to an empty folder of its own, so that it can neither read nor replace other files beside its output. */
async function withOutputFolder(
  output: string,
  write: (folder: string, name: string) => Promise<CagedRun>,
): Promise<void> {
  // Beside the output: a rename works within one file system only.
  const folder = new RunFolder(await mkdtemp(`${output}.run-`));
  try {
    // ffmpeg expands pattern characters in names of pictures.
    const name = basename(output).replaceAll('%', '_');
    const { user } = await write(folder.path, name);
    await folder.move(name, user, output);
  } catch (error) {
    if (!isCode(error, 'OUTPUT_REFUSED') || !(error instanceof Error)) throw error;
    throw new ToolError('TOOL_FAILED', `the output cannot be used: ${error.message}`, '', { cause: error });
  } finally {
    await folder.remove();
  }
}

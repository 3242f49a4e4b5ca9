/**
 * ffmpeg for recordings and uploads, by fluent-ffmpeg: a streamable MP4, copied where the codecs allow, and pictures of it.
 * Inputs are opened by a forced demuxer with no protocol but file and pipe.
 */
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import ffmpeg, { type FfmpegCommand } from 'fluent-ffmpeg';
import { type LimitedTools, ToolError } from './limited-tools.js';
import type { Pool } from './pool.js';

export interface Conversion {
  /** A local file, or the bytes themselves. */
  readonly input: string | AsyncIterable<Uint8Array>;
  readonly demuxer: string;
  readonly output: string;
  /** Codecs are kept, or made H.264 and AAC. */
  readonly video: 'copy' | 'encode' | 'none';
  readonly audio: 'copy' | 'encode' | 'none';
  /** From 0 to 1, when the length is known. */
  readonly lengthMs?: number;
  readonly onProgress?: (part: number) => void;
  readonly signal?: AbortSignal;
}

export interface PictureRequest {
  readonly input: string;
  readonly demuxer: string;
  readonly atMs: number;
  readonly output: string;
  readonly signal?: AbortSignal;
}

const PICTURE_TIMEOUT_MS = 60_000;
/** A conversion that says nothing for so long hangs; moving the index of a large file to its front says nothing for minutes. */
const STALL_MS = 900_000;
const ENCODE_VIDEO = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '21', '-pix_fmt', 'yuv420p', '-g', '120'];
/** Even sizes, square samples, no more than 1080p of area. */
const FIT = ['-vf', "scale='trunc(min(1920,iw*sar)/2)*2':'trunc(ih*min(1920,iw*sar)/(iw*sar)/2)*2',setsar=1"];
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
    return this.#pool.run(() => this.#told(this.#convert(conversion)));
  }

  /** A file may make the program fail; a program that cannot even say its version is no fault of the file. */
  async #told(running: Promise<void>): Promise<void> {
    try {
      await running;
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'TOOL_FAILED' || (await this.#tools.starts('ffmpeg')))
        throw error;
      throw new ToolError('TOOL_MISSING', 'ffmpeg does not run', `${error.message}\n${error.stderr}`);
    }
  }

  async #convert(conversion: Conversion): Promise<void> {
    const { input, demuxer, output, video, audio, lengthMs, onProgress, signal } = conversion;
    const fromPipe = typeof input !== 'string';
    const pipe = new PassThrough();
    const command = this.#command(fromPipe ? pipe : `file:${input}`, demuxer)
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
      .output(`file:${output}`);
    const stop = new AbortController();
    const run = runCommand(command, {
      signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
      onTime: (ms) => {
        if (lengthMs !== undefined && lengthMs > 0) onProgress?.(Math.min(1, ms / lengthMs));
      },
    });
    if (!fromPipe) return run;
    const [feeding, running] = await Promise.allSettled([
      pipeline(Readable.from(input, { objectMode: false }), pipe).catch((error: unknown) => {
        stop.abort();
        throw error;
      }),
      run.finally(() => pipe.destroy()),
    ]);
    // A fault of the input counts before the fault that ffmpeg then has.
    if (feeding.status === 'rejected' && !isClosedPipe(feeding.reason)) throw feeding.reason;
    if (running.status === 'rejected') throw running.reason;
  }

  /** One JPEG, at most 1280 wide, of the frame at that time. @throws ToolError, PoolFullError */
  picture({ input, demuxer, atMs, output, signal }: PictureRequest): Promise<void> {
    return this.#pool.run(() => {
      const command = this.#command(`file:${input}`, demuxer, ['-ss', (atMs / 1000).toFixed(3)])
        .outputOptions(['-an', '-sn', '-dn', '-map', '0:v:0', '-frames:v', '1', '-q:v', '4', '-threads', '1'])
        .outputOptions(['-vf', "scale='trunc(min(1280,iw*sar)/2)*2':-2,setsar=1", '-f', 'image2', '-update', '1', '-y'])
        .output(`file:${output}`);
      const limits = { timeoutMs: PICTURE_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
      return this.#told(runCommand(command, limits));
    });
  }

  #command(input: string | PassThrough, demuxer: string, before: readonly string[] = []): FfmpegCommand {
    return ffmpeg({ logger: undefined })
      .setFfmpegPath(this.#tools.ffmpeg)
      .input(input)
      .inputOptions(
        [...['-hide_banner', '-nostdin', '-protocol_whitelist', 'file,pipe', '-f', demuxer], ...before].filter(
          (option) => typeof input === 'string' || option !== '-nostdin',
        ),
      );
  }
}

interface RunWith {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onTime?: (ms: number) => void;
}

const TIME = /time=(\d+):(\d\d):(\d\d(?:\.\d+)?)/;

function runCommand(command: FfmpegCommand, options: RunWith): Promise<void> {
  return new Promise((resolve, reject) => {
    let fault: ToolError | undefined;
    let lines = '';
    const stop = (error: ToolError) => {
      fault ??= error;
      command.kill('SIGKILL');
    };
    const tooLong = () => stop(new ToolError('TOOL_TIMEOUT', 'it took too long', lines));
    let timer = setTimeout(tooLong, options.timeoutMs ?? STALL_MS);
    const abort = () => stop(new ToolError('TOOL_ABORTED', 'it was stopped', lines));
    const done = (settle: () => void) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      settle();
    };
    command.on('stderr', (line: string) => {
      lines = `${lines}${line}\n`.slice(-4_000);
      const time = TIME.exec(line);
      if (time === null) return;
      options.onTime?.((Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3])) * 1000);
      if (options.timeoutMs !== undefined) return;
      clearTimeout(timer);
      timer = setTimeout(tooLong, STALL_MS);
    });
    command.on('start', () => {
      if (options.signal?.aborted) abort();
    });
    command.on('end', () => done(resolve));
    command.on('error', (error: Error) =>
      done(() => reject(fault ?? new ToolError('TOOL_FAILED', error.message.slice(0, 500), lines))),
    );
    options.signal?.addEventListener('abort', abort);
    command.run();
  });
}

function isClosedPipe(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED';
}

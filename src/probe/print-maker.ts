/** Chromaprint's numbers of a file, by ffmpeg's muxer, which static builds of ffmpeg often lack. */
import { defined } from '../lib/objects.js';
import { type CageLimits, PROBE } from './cage/limits.js';
import { ClipMaker, type ClipRequest } from './clip-maker.js';
import { DECODERS } from './decoders.js';
import type { LimitedTools } from './limited-tools.js';
import { Pool } from './pool.js';
import { ToolError } from './run-tool.js';
import { DECODER_LIMITS, type DecodedPrint, PRINT_OUTPUT, type SampleDecoding } from './sample-decoder.js';

/** A day of sound takes some minutes. It writes to its pipe only. */
const PRINTING: CageLimits = { memoryKib: 1_500_000, processorSeconds: 3_600, fileMib: 1 };
/** 24 hours of sound are 2.8 MB. */
const RUN = { timeoutMs: 3_600_000, stdoutMax: 3 * 1024 * 1024 };
const MUXER_HELP = ['-hide_banner', '-h', 'muxer=chromaprint'];
const CHECK = { timeoutMs: 10_000, stdoutMax: 65_536 };
/** One at a time: a print uses a processor, and the job of a video can wait. */
const PRINTS = { parallel: 1, waiting: 64 };

export interface PrintRequest {
  readonly input: string;
  readonly demuxer: string;
  readonly signal?: AbortSignal;
}

export class PrintMaker {
  readonly #tools: Pick<LimitedTools, 'run'>;
  readonly #decoder: SampleDecoding;
  readonly #pool = new Pool(PRINTS.parallel, PRINTS.waiting);
  readonly #clips: ClipMaker;
  #isAvailable: boolean | undefined;

  constructor(tools: Pick<LimitedTools, 'run'>, decoder: SampleDecoding) {
    this.#tools = tools;
    this.#decoder = decoder;
    this.#clips = new ClipMaker(tools);
  }

  /** Whether ffmpeg has the muxer. A missing program is looked for again. */
  async isAvailable(): Promise<boolean> {
    if (this.#isAvailable !== undefined) return this.#isAvailable;
    try {
      const help = await this.#tools.run('ffmpeg', { limits: PROBE }, () => MUXER_HELP, CHECK);
      this.#isAvailable = hasMuxer(help.toString('utf8'));
      return this.#isAvailable;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  /** The items of the first sound track of a file. @throws ToolError, PoolFullError */
  print({ input, demuxer, signal }: PrintRequest): Promise<Uint8Array> {
    return this.#pool.run(() => {
      const args = (path: string) => [
        ...['-v', 'error', '-hide_banner', '-nostdin', '-protocol_whitelist', 'file,pipe'],
        ...['-codec_whitelist', DECODERS, '-threads', '1', '-f', demuxer, '-i', `file:${path}`],
        ...['-filter_threads', '1', '-vn', ...PRINT_OUTPUT, 'pipe:1'],
      ];
      return this.#tools.run('ffmpeg', { limits: PRINTING, input }, args, { ...RUN, ...defined({ signal }) });
    });
  }

  get hasRoom(): boolean {
    return this.#decoder.hasRoomForSound;
  }

  readonly share = DECODER_LIMITS.share;

  /** @throws ToolError, PoolFullError */
  sample(flv: Uint8Array, owner: string): Promise<DecodedPrint> {
    return this.#decoder.print(flv, owner);
  }

  /** Processes that are kept for samples. */
  get kept(): number {
    return this.#decoder.kept;
  }

  /** @throws ToolError, PoolFullError */
  clip(request: ClipRequest): Promise<Uint8Array> {
    return this.#clips.clip(request);
  }

  /** @throws ToolError, PoolFullError */
  pictures(request: ClipRequest): Promise<Uint8Array> {
    return this.#clips.pictures(request);
  }
}

/** By ffmpeg's help on the muxer, which says that it is unknown with exit code 0. */
const hasMuxer = (help: string): boolean => help.includes('Muxer chromaprint');

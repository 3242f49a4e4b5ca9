/** ffprobe and ffmpeg for the rest of the server, bounded in number, time, memory and access. */
import type { ProbedFile } from '../facts/probed-file.js';
import type { Conversion, Log, PictureRequest } from '../ports/index.js';
import type { Cage } from './cage/cage.js';
import { Converter } from './converter.js';
import { DECODERS } from './decoders.js';
import { Ffprobe } from './ffprobe.js';
import { FileProbe } from './file-probe.js';
import { probeFlv, type StreamOpinion } from './flv-probe.js';
import { LimitedTools } from './limited-tools.js';
import { Pool } from './pool.js';
import { PrintMaker } from './print-maker.js';
import { SampleDecoder } from './sample-decoder.js';
import { findTools, type ToolSettings } from './tool-paths.js';

export interface MediaToolsOptions extends ToolSettings {
  readonly cage: Cage;
  readonly log: Log;
  /** Aborts the initial check of the tools, in case one hangs. */
  readonly signal?: AbortSignal;
  /** Concurrent probes, and concurrent conversions: the number of job slots, so that no job waits here for another's. */
  readonly parallel?: number;
}

/** A safety bound: the job queue decides what runs. Probes and pictures do not wait for conversions. */
const PROBES = { parallel: 2, waiting: 256 };
const CONVERSIONS = { parallel: 2, waiting: 64 };
/** Samples of live streams: skipped when no slot is free. */
const SAMPLES = { parallel: 1, waiting: 3 };

export class MediaTools {
  readonly #files: FileProbe;
  readonly #converter: Converter;
  readonly #pictures: Converter;
  readonly #samples = new Pool(SAMPLES.parallel, SAMPLES.waiting);
  readonly #ffprobe: Ffprobe;
  /** Decodes samples of live streams. */
  readonly decoder: SampleDecoder;
  /** Prints of sound for the copyright detector. */
  readonly prints: PrintMaker;

  private constructor(tools: LimitedTools, parallel: number | undefined) {
    const probes = new Pool(parallel ?? PROBES.parallel, PROBES.waiting);
    this.#ffprobe = new Ffprobe(tools, DECODERS);
    this.decoder = new SampleDecoder(tools);
    this.prints = new PrintMaker(tools, this.decoder);
    this.#files = new FileProbe(tools, probes);
    this.#pictures = new Converter(tools, probes);
    this.#converter = new Converter(tools, new Pool(parallel ?? CONVERSIONS.parallel, CONVERSIONS.waiting));
  }

  static async open(options: MediaToolsOptions): Promise<MediaTools> {
    const { cage, log, signal, parallel } = options;
    return new MediaTools(await LimitedTools.open(findTools(options), cage, log, signal), parallel);
  }

  /** @throws ProbeUnavailableError, PoolFullError, ToolError when `signal` aborted */
  probe(path: string, signal?: AbortSignal): Promise<ProbedFile> {
    return this.#files.probe(path, signal);
  }

  /** Writes a fast-start MP4. @throws ToolError, PoolFullError, and what the input throws */
  convert(conversion: Conversion): Promise<void> {
    return this.#converter.convert(conversion);
  }

  /** Writes a JPEG. @throws ToolError, PoolFullError */
  picture(request: PictureRequest): Promise<void> {
    return this.#pictures.picture(request);
  }

  /** Ends the processes that are kept. */
  close(): void {
    this.decoder.close();
  }

  get hasRoomForSample(): boolean {
    return this.#samples.hasRoom;
  }

  /** ffprobe's result for a few seconds of FLV. @throws ToolError, PoolFullError */
  sample(flv: Uint8Array): Promise<StreamOpinion> {
    return this.#samples.run(() => probeFlv(this.#ffprobe, flv));
  }
}

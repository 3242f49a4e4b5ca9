/** ffprobe and ffmpeg as the rest of the server uses them: bounded in number, time, memory and reach. */
import type { ProbedFile } from '../facts/probed-file.js';
import type { Log } from '../ports/index.js';
import { type Conversion, Converter, type PictureRequest } from './converter.js';
import { Ffprobe } from './ffprobe.js';
import { FileProbe } from './file-probe.js';
import { probeFlv, type StreamOpinion } from './flv-probe.js';
import { LimitedTools } from './limited-tools.js';
import { Pool } from './pool.js';
import { findTools, type ToolSettings } from './tool-paths.js';

export interface MediaToolsOptions extends ToolSettings {
  /** For the scripts that start the tools within their limits. */
  readonly folder: string;
  readonly log: Log;
  /** Ends the first look at the tools, which waits for one that hangs. */
  readonly signal?: AbortSignal;
  /** Probes, and conversions, at one time: as many as jobs run at one time, so that none waits here for another's. */
  readonly parallel?: number;
}

/** A last bound: the queue of jobs decides what runs. Probes and pictures do not wait for conversions. */
const PROBES = { parallel: 2, waiting: 256 };
const CONVERSIONS = { parallel: 2, waiting: 64 };
/** Samples of running streams: one that finds no place is simply not taken. */
const SAMPLES = { parallel: 1, waiting: 3 };

export class MediaTools {
  readonly #files: FileProbe;
  readonly #converter: Converter;
  readonly #pictures: Converter;
  readonly #samples = new Pool(SAMPLES.parallel, SAMPLES.waiting);
  readonly #ffprobe: Ffprobe;

  private constructor(tools: LimitedTools, parallel: number | undefined) {
    const probes = new Pool(parallel ?? PROBES.parallel, PROBES.waiting);
    this.#ffprobe = new Ffprobe(tools);
    this.#files = new FileProbe(tools, probes);
    this.#pictures = new Converter(tools, probes);
    this.#converter = new Converter(tools, new Pool(parallel ?? CONVERSIONS.parallel, CONVERSIONS.waiting));
  }

  static async open(options: MediaToolsOptions): Promise<MediaTools> {
    const { folder, log, signal, parallel } = options;
    return new MediaTools(await LimitedTools.open(findTools(options), folder, log, signal), parallel);
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

  get hasRoomForSample(): boolean {
    return this.#samples.hasRoom;
  }

  /** ffprobe's opinion on some seconds of FLV. @throws ToolError, PoolFullError */
  sample(flv: Uint8Array): Promise<StreamOpinion> {
    return this.#samples.run(() => probeFlv(this.#ffprobe, flv));
  }
}

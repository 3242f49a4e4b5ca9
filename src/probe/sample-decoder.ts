/**
 * Decodes samples of running broadcasts: a key frame to a small gray picture or to a still, seconds of sound to one channel at 11,025 Hz
 * or to Chromaprint's numbers. Each run of ffmpeg has a sandbox of its own and gets the bytes of one broadcast, or of the
 * broadcasts of one owner: nothing of one owner is left when the sample of another is opened. Starting ffmpeg costs some
 * 80 ms of CPU. Prints of sound are made by a process that is kept for each owner, at a tenth of that.
 */
import { spawnSync } from 'node:child_process';
import type { PictureDecoding, StillDecoding } from '../ports/index.js';
import { KEPT, SAMPLE } from './cage/limits.js';
import { limitsOnly } from './cage/open-cage.js';
import { CpuShare } from './cpu-share.js';
import { DECODERS } from './decoders.js';
import { KeptPrinter, segmentOutput } from './kept-printer.js';
import { KeptPrinters } from './kept-printers.js';
import type { LimitedTools } from './limited-tools.js';
import { SERIES } from './sample-series.js';

export const PICTURE_SIZE = { width: 160, height: 90 } as const;
const PICTURE_BYTES = PICTURE_SIZE.width * PICTURE_SIZE.height;
export const SOUND_RATE = 11_025;

export const DECODER_LIMITS = {
  /** Share of one processor, for the pictures of all broadcasts; as much again for their sound. */
  share: 0.25,
  /** Samples that wait: at this share, a sample of 1080p waits half a second for each before it. */
  waiting: 8,
  /** Broadcasts that went LIVE together send their samples together. One waits half a second for each before it. */
  soundsWaiting: 48,
  /** A still is for display: with so many pictures waiting, the rules have the whole share. */
  waitingForStill: 3,
  /** Size of a still, as a JPEG: some 30 KB in practice, 90 KB for noise. */
  stillBytes: 128 * 1024,
  /** On a busy machine; the run's CPU time is limited apart. */
  timeoutMs: 10_000,
  soundSeconds: 60,
  /** Size of a print. */
  printBytes: 16_384,
} as const;

/** Forms in which ffmpeg writes the sound. */
export type SoundForm = 'pcm' | 'chromaprint';

/** A sample is an FLV file of one broadcast. */
export interface SampleDecoding extends PictureDecoding, StillDecoding {
  readonly hasRoomForSound: boolean;
  /**
   * `pcm`: 16-bit little-endian samples of one channel at `SOUND_RATE`. `chromaprint`: 32-bit little-endian items, one for
   * each 0.1238 s, the first after 2.6 s. `tookMs`: without the wait for others. @throws ToolError, PoolFullError
   */
  sound(flv: Uint8Array, form: SoundForm): Promise<{ readonly bytes: Uint8Array; readonly tookMs: number }>;
  /** The items of `sound` in the form `chromaprint`, by a process that is kept for the owner. @throws as `sound` */
  print(flv: Uint8Array, owner: string): Promise<DecodedPrint>;
  /** Processes that are kept. */
  readonly kept: number;
}

export interface DecodedPrint {
  readonly items: Uint8Array;
  /** Without the wait for others. */
  readonly tookMs: number;
  /** A process was started for it. */
  readonly isStarted: boolean;
}

export class SampleDecoder implements SampleDecoding {
  readonly #tools: Pick<LimitedTools, 'decode' | 'enter'>;
  readonly #printers: KeptPrinters;
  readonly #pictures = new CpuShare(DECODER_LIMITS);
  readonly #sounds = new CpuShare({ ...DECODER_LIMITS, waiting: DECODER_LIMITS.soundsWaiting });

  constructor(tools: Pick<LimitedTools, 'decode' | 'enter'>) {
    this.#tools = tools;
    const open = () => new KeptPrinter(tools.enter('ffmpeg', { limits: KEPT }), PRINTER);
    this.#printers = new KeptPrinters({ open });
  }

  get kept(): number {
    return this.#printers.size;
  }

  close(): void {
    this.#printers.close();
  }

  get hasRoomForPicture(): boolean {
    return this.#pictures.hasRoom;
  }

  get hasRoomForSound(): boolean {
    return this.#sounds.hasRoom;
  }

  picture(flv: Uint8Array): Promise<Uint8Array> {
    return this.#pictures.run(async () => {
      const gray = await this.#decode(flv, PICTURE_OUTPUT, PICTURE_BYTES);
      if (gray.length !== PICTURE_BYTES) throw new RangeError('the sample has no picture');
      return gray;
    });
  }

  get hasRoomForStill(): boolean {
    return this.#pictures.waiting < DECODER_LIMITS.waitingForStill;
  }

  /** Takes its time from the share of the pictures. */
  still(flv: Uint8Array): Promise<Uint8Array> {
    return this.#pictures.run(async () => {
      const jpeg = await this.#decode(flv, STILL_OUTPUT, DECODER_LIMITS.stillBytes);
      if (jpeg.length === 0) throw new RangeError('the sample has no picture');
      return jpeg;
    });
  }

  sound(flv: Uint8Array, form: SoundForm): Promise<{ bytes: Uint8Array; tookMs: number }> {
    const max = DECODER_LIMITS.soundSeconds * SOUND_RATE * 2;
    return this.#sounds.run(async () => {
      const startMs = performance.now();
      const bytes = await this.#decode(flv, SOUND_OUTPUT[form], max);
      return { bytes, tookMs: performance.now() - startMs };
    });
  }

  print(flv: Uint8Array, owner: string): Promise<DecodedPrint> {
    return this.#sounds.run(async () => {
      const startMs = performance.now();
      const kept = await this.#printers.print(owner, flv, DECODER_LIMITS.timeoutMs);
      const items = kept?.items ?? (await this.#decode(flv, PRINT_OUTPUT, DECODER_LIMITS.printBytes));
      return { items, tookMs: performance.now() - startMs, isStarted: kept?.isStarted ?? true };
    });
  }

  #decode(flv: Uint8Array, output: readonly string[], stdoutMax: number): Promise<Buffer> {
    const { timeoutMs } = DECODER_LIMITS;
    return this.#tools.decode([...INPUT, ...output, 'pipe:1'], { timeoutMs, stdoutMax, stdin: flv });
  }
}

/** Decodes in this process's turn, for a file of the user who runs the command; undefined if it cannot be decoded. */
export function decodePictureNow(ffmpeg: string, flv: Uint8Array): Uint8Array | undefined {
  const caged = limitsOnly().enter({ tool: ffmpeg, limits: SAMPLE });
  const { stdout } = spawnSync(caged.program, [...caged.args, ...INPUT, ...PICTURE_OUTPUT, 'pipe:1'], {
    input: flv,
    env: {},
    timeout: DECODER_LIMITS.timeoutMs,
    maxBuffer: PICTURE_BYTES,
  });
  return stdout?.length === PICTURE_BYTES ? stdout : undefined;
}

/** One thread: more would exceed the share. */
const GENERAL = [
  ...['-v', 'error', '-hide_banner', '-protocol_whitelist', 'pipe', '-codec_whitelist', DECODERS, '-threads', '1'],
];
const FLV = ['-f', 'flv', '-i', 'pipe:0', '-filter_threads', '1'];
const INPUT = [...GENERAL, ...FLV];
const PICTURE_OUTPUT = [
  ...['-map', '0:v:0', '-frames:v', '1'],
  ...['-vf', `scale=${PICTURE_SIZE.width}:${PICTURE_SIZE.height}:flags=area,format=gray`, '-f', 'rawvideo'],
];
const STILL_SIZE = 'scale=640:360:force_original_aspect_ratio=decrease:force_divisible_by=2:flags=bilinear';
const STILL_OUTPUT = [
  ...['-map', '0:v:0', '-frames:v', '1', '-vf', `${STILL_SIZE},format=yuvj420p`],
  ...['-c:v', 'mjpeg', '-threads', '1', '-q:v', '5', '-f', 'image2pipe'],
];
const SOUND = ['-map', '0:a:0', '-ac', '1', '-ar', String(SOUND_RATE)];
const SOUND_OUTPUT: Readonly<Record<SoundForm, readonly string[]>> = {
  pcm: [...SOUND, '-f', 's16le'],
  chromaprint: [...SOUND, '-f', 'chromaprint', '-fp_format', 'raw'],
};

/** Looks at no more than it needs before it starts: the input does not end. */
export const PRINTER = [
  ...[...GENERAL, '-analyzeduration', '0', '-probesize', '32', '-fflags', '+nobuffer', ...FLV],
  ...[...SOUND, ...segmentOutput(SERIES.stepMs / 1000)],
];

/** Print of a file or of a sample: both must be made alike. */
export const PRINT_OUTPUT = SOUND_OUTPUT.chromaprint;

/** Short pieces of a file: sound as WAV, to be heard by an operator, and small pictures to be compared. */
import { type CageLimits, PROBE } from './cage/limits.js';
import { DECODERS } from './decoders.js';
import type { LimitedTools } from './limited-tools.js';
import { Pool } from './pool.js';
import { ToolError } from './run-tool.js';

const CLIP = {
  /** Enough to compare by ear: 0.9 MB. */
  lengthMs: 20_000,
  /** One channel of 16-bit samples: music is recognizable, and it is no copy to keep. */
  sampleRate: 22_050,
} as const;

const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;
const LIMITS: CageLimits = PROBE;
const RUN = { timeoutMs: 30_000, stdoutMax: (CLIP.lengthMs / 1000) * CLIP.sampleRate * BYTES_PER_SAMPLE + 65_536 };
/** One operator listens at a time; further requests are refused. */
const CLIPS = { parallel: 1, waiting: 8 };

export interface ClipRequest {
  readonly input: string;
  readonly demuxer: string;
  readonly fromMs: number;
  readonly lengthMs: number;
}

export class ClipMaker {
  readonly #tools: Pick<LimitedTools, 'run'>;
  readonly #pool = new Pool(CLIPS.parallel, CLIPS.waiting);

  constructor(tools: Pick<LimitedTools, 'run'>) {
    this.#tools = tools;
  }

  /** A WAV file of at most `CLIP.lengthMs`. @throws ToolError, PoolFullError */
  async clip(request: ClipRequest): Promise<Uint8Array> {
    const pcm = await this.#run(request, [...SOUND, '-ar', String(CLIP.sampleRate), '-f', 's16le']);
    if (pcm.length === 0) throw new ToolError('TOOL_FAILED', 'no sound at this place', '');
    return Buffer.concat([wavHeader(pcm.length), pcm]);
  }

  /** Gray pictures, two a second. @throws ToolError, PoolFullError */
  pictures(request: ClipRequest): Promise<Uint8Array> {
    return this.#run(request, PICTURES);
  }

  #run({ input, demuxer, fromMs, lengthMs }: ClipRequest, output: readonly string[]): Promise<Buffer> {
    return this.#pool.run(() => {
      const args = (path: string) => [
        ...['-v', 'error', '-hide_banner', '-nostdin', '-protocol_whitelist', 'file,pipe'],
        ...['-codec_whitelist', DECODERS, '-threads', '1', '-f', demuxer],
        ...['-ss', seconds(fromMs), '-t', seconds(Math.min(lengthMs, CLIP.lengthMs)), '-i', `file:${path}`],
        ...['-filter_threads', '1', ...output, 'pipe:1'],
      ];
      return this.#tools.run('ffmpeg', { limits: LIMITS, input }, args, RUN);
    });
  }
}

const SOUND = ['-vn', '-map', '0:a:0', '-ac', '1'];
const PICTURES = ['-an', '-map', '0:v:0', '-vf', 'fps=2,scale=32:32:flags=area,format=gray', '-f', 'rawvideo'];

const seconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(3);

/** ffmpeg cannot write the length into a pipe, and some players need it. */
export function wavHeader(pcmBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + pcmBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(CLIP.sampleRate, 24);
  header.writeUInt32LE(CLIP.sampleRate * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcmBytes, 40);
  return header;
}

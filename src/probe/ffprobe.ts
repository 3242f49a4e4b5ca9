/**
 * Runs ffprobe on untrusted input: the demuxer is forced, only the protocol of the input is allowed, time and output are
 * bounded. fluent-ffmpeg's own `ffprobe` is not used because it can be neither stopped nor bounded.
 */
import { type ProbedTracks, readTracks } from './ffprobe-json.js';
import type { LimitedTools } from './limited-tools.js';
import type { RunOptions } from './run-tool.js';

export interface ProbeInput {
  readonly demuxer: string;
  /** Path of a file, or its bytes. */
  readonly from: string | Uint8Array;
}

export type ProbeLimits = Omit<RunOptions, 'stdin'>;

export class Ffprobe {
  readonly #tools: LimitedTools;

  constructor(tools: LimitedTools) {
    this.#tools = tools;
  }

  /** The tracks of the input. @throws ToolError, and SyntaxError when ffprobe wrote invalid JSON */
  async tracks(input: ProbeInput, limits: ProbeLimits): Promise<ProbedTracks> {
    return readTracks(await this.#run(input, ['-show_format', '-show_streams', '-of', 'json'], limits));
  }

  /** Packets of one track in its first seconds, one `dts_time,duration_time,size` line each. @throws ToolError */
  packets(input: ProbeInput, track: number, seconds: number, limits: ProbeLimits): Promise<string> {
    const select = ['-select_streams', String(track), '-read_intervals', `%+${seconds}`];
    const show = ['-show_entries', 'packet=dts_time,duration_time,size', '-of', 'csv=p=0'];
    return this.#run(input, [...select, ...show], limits);
  }

  #run({ demuxer, from }: ProbeInput, show: readonly string[], limits: ProbeLimits): Promise<string> {
    const isFile = typeof from === 'string';
    const protocols = isFile ? 'file,pipe' : 'pipe';
    const source = isFile ? `file:${from}` : 'pipe:0';
    const input = ['-v', 'error', '-hide_banner', '-protocol_whitelist', protocols, '-f', demuxer, '-i', source];
    return this.#tools.probe([...input, ...show], isFile ? limits : { ...limits, stdin: only(from) });
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

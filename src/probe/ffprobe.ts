/**
 * Runs ffprobe on untrusted input: the demuxer is forced or one of the supported containers, only the protocol of the input is allowed, time and output are
 * bounded. fluent-ffmpeg's own `ffprobe` is not used because it can be neither stopped nor bounded.
 */
import { DEMUXERS } from './containers/registry.js';
import { type ProbedTracks, readTracks } from './ffprobe-json.js';
import type { LimitedTools } from './limited-tools.js';
import type { RunOptions } from './run-tool.js';

export interface ProbeInput {
  /** Without it, ffprobe chooses among the demuxers of the supported containers. */
  readonly demuxer?: string;
  /** Path of a file, or its bytes. */
  readonly from: string | Uint8Array;
  /** MP4 with an edit list: reads each frame of the tracks once, at its own time. */
  readonly isEdited?: boolean;
}

/** ffmpeg would read what comes before each cut again, at the time of what comes after it. */
export const WHOLE_TRACKS = ['-advanced_editlist', '0'] as const;

export type ProbeLimits = Omit<RunOptions, 'stdin'>;

export class Ffprobe {
  readonly #tools: Pick<LimitedTools, 'probe'>;

  readonly #decoders: readonly string[];

  /** Without `decoders`, ffprobe uses all that it has. */
  constructor(tools: Pick<LimitedTools, 'probe'>, decoders?: string) {
    this.#tools = tools;
    this.#decoders = decoders === undefined ? [] : ['-codec_whitelist', decoders];
  }

  /** The tracks of the input. @throws ToolError, and SyntaxError when ffprobe wrote invalid JSON */
  async tracks(input: ProbeInput, limits: ProbeLimits): Promise<ProbedTracks> {
    return readTracks(await this.json(input, limits));
  }

  /** Format and streams of the input as ffprobe writes them. @throws ToolError */
  json(input: ProbeInput, limits: ProbeLimits): Promise<string> {
    return this.#run(input, ['-show_format', '-show_streams', '-of', 'json'], limits);
  }

  /** Packets of one track in its first seconds, one `dts_time,duration_time,size` line each. @throws ToolError */
  packets(input: ProbeInput, track: number, seconds: number, limits: ProbeLimits): Promise<string> {
    const select = ['-select_streams', String(track), '-read_intervals', `%+${seconds}`];
    return this.#run(input, [...select, ...packetRows('dts_time,duration_time,size')], limits);
  }

  /** All packets of one track, one `pts_time,dts_time,size,flags` line each. @throws ToolError */
  allPackets(input: ProbeInput, track: number, limits: ProbeLimits): Promise<string> {
    const select = ['-select_streams', String(track)];
    return this.#run(input, [...select, ...packetRows('dts_time,pts_time,size,flags')], limits);
  }

  /** All packets of one track, one `pos,flags` line each: where it is in the file. @throws ToolError */
  packetPlaces(input: ProbeInput, track: number, limits: ProbeLimits): Promise<string> {
    return this.#run(input, ['-select_streams', String(track), ...packetRows('pos,flags')], limits);
  }

  #run({ demuxer, from, isEdited = false }: ProbeInput, show: readonly string[], limits: ProbeLimits): Promise<string> {
    const format = demuxer === undefined ? ['-format_whitelist', DEMUXERS.join(',')] : ['-f', demuxer];
    const allowed = [...format, ...this.#decoders, ...(isEdited ? WHOLE_TRACKS : [])];
    const args = (protocols: string, source: string) => {
      const input = ['-v', 'error', '-hide_banner', '-protocol_whitelist', protocols, ...allowed, '-i', source];
      return [...input, ...show];
    };
    return typeof from === 'string'
      ? this.#tools.probe((path) => args('file,pipe', `file:${path}`), limits, from)
      : this.#tools.probe(() => args('pipe', 'pipe:0'), { ...limits, stdin: from });
  }
}

const packetRows = (fields: string) => ['-show_entries', `packet=${fields}`, '-of', 'csv=p=0'];

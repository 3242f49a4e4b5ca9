/** Identifies a file by its first bytes and by ffprobe, with a bounded number of concurrent runs. */
import { open } from 'node:fs/promises';
import { type Format, SNIFF_BYTES, sniff, unopenedFacts } from '../containers/formats.js';
import type { FileFacts, ProbedFile } from '../facts/probed-file.js';
import { defined } from '../lib/objects.js';
import { isFastStart } from './containers/iso-bmff.js';
import { DECODERS, refusedCodec } from './decoders.js';
import { Ffprobe, type ProbeInput, type ProbeLimits } from './ffprobe.js';
import type { ProbedTracks } from './ffprobe-json.js';
import type { LimitedTools } from './limited-tools.js';
import type { Pool } from './pool.js';
import { ToolError } from './run-tool.js';

const PROBE_LIMITS = { timeoutMs: 30_000, stdoutMax: 4 * 1024 * 1024 };
/** Audio bitrate is measured over this long; containers often omit it or get it wrong. */
const MEASURED_SECONDS = 120;

/** ffprobe cannot be run, so the file was not checked: a server fault, to be retried. */
export class ProbeUnavailableError extends Error {
  override readonly name = 'ProbeUnavailableError';
  readonly code = 'PROBE_UNAVAILABLE';
}

export class FileProbe {
  readonly #tools: LimitedTools;
  readonly #ffprobe: Ffprobe;
  readonly #pool: Pool;

  constructor(tools: LimitedTools, pool: Pool) {
    this.#tools = tools;
    this.#ffprobe = new Ffprobe(tools, DECODERS);
    this.#pool = pool;
  }

  /**
   * Describes the file. An unreadable file is a result with `facts.fault`, not an error.
   * @throws ProbeUnavailableError, PoolFullError, ToolError when `signal` aborted
   */
  async probe(path: string, signal?: AbortSignal): Promise<ProbedFile> {
    const { head, size } = await headOf(path);
    const sniffed = sniff(head);
    if (sniffed.demuxer === undefined) return unopened(sniffed, size);
    const { demuxer } = sniffed;
    try {
      return await this.#pool.run(() => this.#open(path, size, { ...sniffed, demuxer }, signal));
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === 'TOOL_ABORTED') throw error;
      // Distinguishes a bad file from a broken ffprobe: if not even `-version` works, the file is not at fault.
      if (error.code === 'TOOL_MISSING' || !(await this.#tools.starts('ffprobe'))) {
        throw new ProbeUnavailableError('ffprobe cannot be run', { cause: error });
      }
      return { ...unopened(sniffed, size), facts: { formatNames: [demuxer], fault: faultOf(error, path) } };
    }
  }

  async #open(
    path: string,
    sizeBytes: number,
    sniffed: Format & { demuxer: string },
    signal: AbortSignal | undefined,
  ): Promise<ProbedFile> {
    const limits: ProbeLimits = { ...PROBE_LIMITS, ...defined({ signal }) };
    const input = { demuxer: sniffed.demuxer, from: path };
    const tracks = await this.#ffprobe.tracks(input, limits);
    const bitrateKbps = await this.#audioBitrate(input, tracks, limits);
    return {
      facts: factsOf(sniffed, tracks, bitrateKbps),
      container: sniffed.container,
      demuxer: sniffed.demuxer,
      sizeBytes,
      lengthMs: tracks.lengthMs,
      fastStart: sniffed.demuxer === 'mov' && (await isFastStart(path)),
      ...defined({ video: tracks.video, audio: tracks.audio }),
    };
  }

  /** Measured from the packets; if they cannot be listed, the container's value. */
  async #audioBitrate(input: ProbeInput, tracks: ProbedTracks, limits: ProbeLimits): Promise<number | undefined> {
    const { audioIndex, audioFacts } = tracks;
    if (audioIndex === undefined) return undefined;
    try {
      const packets = await this.#ffprobe.packets(input, audioIndex, MEASURED_SECONDS, limits);
      return meanKbps(packets) ?? audioFacts?.bitrateKbps;
    } catch (error) {
      if (error instanceof ToolError && error.code !== 'TOOL_ABORTED') return audioFacts?.bitrateKbps;
      throw error;
    }
  }
}

async function headOf(path: string): Promise<{ head: Uint8Array; size: number }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(SNIFF_BYTES, size));
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return { head: head.subarray(0, bytesRead), size };
  } finally {
    await file.close();
  }
}

function unopened(format: Format, sizeBytes: number): ProbedFile {
  const { container } = format;
  return {
    facts: unopenedFacts(format, sizeBytes),
    container,
    demuxer: undefined,
    sizeBytes,
    lengthMs: 0,
    fastStart: false,
  };
}

function factsOf(sniffed: Format, tracks: ProbedTracks, bitrateKbps: number | undefined): FileFacts {
  const { videoFacts, audioFacts } = tracks;
  const { bitrateKbps: _claimed, ...audio } = audioFacts ?? { codec: '', sampleRate: 0, channels: 0 };
  return {
    formatNames: tracks.formatNames,
    ...defined({ docType: sniffed.docType }),
    ...(videoFacts === undefined && audioFacts === undefined ? { fault: 'no video or audio track' } : {}),
    ...defined({ video: videoFacts }),
    ...(audioFacts === undefined ? {} : { audio: { ...audio, ...defined({ bitrateKbps }) } }),
  };
}

/** The reason for the error record, without the path on the server's disk. */
function faultOf(error: ToolError, path: string): string {
  if (error.code === 'TOOL_TIMEOUT') return `not readable within ${PROBE_LIMITS.timeoutMs / 1000} s`;
  const codec = refusedCodec(error.stderr);
  if (codec !== undefined) return `unsupported codec: ${codec}`;
  if (error.stderr.trim() === '') return 'a track cannot be opened';
  if (error.code === 'TOOL_OUTPUT') return 'too many tracks or tags';
  return error.message
    .replace(`file:${path}: `, '')
    .replaceAll(`file:${path}`, 'the file')
    .replaceAll(path, 'the file')
    .slice(0, 200);
}

/** Parses `dts_time,duration_time,size` lines. Undefined for less than a second of packets. */
function meanKbps(csv: string): number | undefined {
  let bytes = 0;
  let first = Number.NaN;
  let end = Number.NaN;
  for (const line of csv.split('\n')) {
    const [time, duration, size] = line.split(',').map(Number);
    if (size === undefined || !Number.isFinite(size)) continue;
    bytes += size;
    if (time === undefined || !Number.isFinite(time)) continue;
    if (Number.isNaN(first)) first = time;
    end = time + (duration !== undefined && Number.isFinite(duration) ? duration : 0);
  }
  const seconds = end - first;
  return seconds >= 1 ? (bytes * 8) / 1000 / seconds : undefined;
}

/** The tracks of a file as reported by ffprobe, and the packets of tracks that FLV cannot carry. */
import type { FileTrack } from '../../containers/source/media-file.js';
import { type FileBytes, withFile } from '../../probe/containers/file-bytes.js';
import { type IndexedTrack, indexedTracks } from '../../probe/containers/iso-bmff.js';
import { encryptedEntries } from '../../probe/containers/matroska.js';
import { encryptedPids } from '../../probe/containers/mpeg-ts.js';
import { Ffprobe } from '../../probe/ffprobe.js';
import { runTool, ToolError } from '../../probe/run-tool.js';

export interface FileShape {
  /** ffprobe's format name; for a family of formats, the one that equals the file extension. */
  readonly container: string;
  /** The `encoder` tag of the file; '' when absent. */
  readonly encoder: string;
  /** The first video and the first audio track, as an encoder would send them. Cover pictures do not count as video. */
  readonly tracks: readonly FileTrack[];
  readonly otherTracks: number;
  /** Start time of the file, seconds. */
  readonly startS: number;
  /** Frame rate of the video according to the container. */
  readonly frameRate?: number | undefined;
  /** An edit list leaves out parts of the tracks: each frame is read at its own time, once. */
  readonly isEdited?: boolean;
}

interface ProbedStream {
  readonly index: number;
  /** Number of the track in its container, in hexadecimal. */
  readonly id?: string;
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly codec_long_name?: string;
  readonly profile?: string;
  readonly avg_frame_rate?: string;
  readonly sample_rate?: string;
  readonly channels?: number;
  readonly disposition?: { readonly attached_pic?: number };
}

/** @throws Error with ffprobe's message when it cannot open the file as a supported container */
export async function fileShape(ffprobe: string, file: string): Promise<FileShape> {
  const text = await probing(() => prober(ffprobe).json({ from: file }, LIMITS));
  const probed = JSON.parse(text) as {
    format?: { format_name?: string; start_time?: string; tags?: Readonly<Record<string, string>> };
    streams?: readonly ProbedStream[];
  };
  const structure = withFile(file, structureOf);
  const all = (probed.streams ?? []).flatMap((stream) => asTrack(stream, structure));
  const tracks = (['video', 'audio'] as const).flatMap((kind) => all.find((track) => track.kind === kind) ?? []);
  const startS = Number.parseFloat(probed.format?.start_time ?? '');
  return {
    container: containerOf(probed.format?.format_name ?? '', file),
    encoder: Object.entries(probed.format?.tags ?? {}).find(([name]) => name.toLowerCase() === 'encoder')?.[1] ?? '',
    tracks,
    otherTracks: all.length - tracks.length,
    startS: Number.isNaN(startS) ? 0 : startS,
    frameRate: quotient(probed.streams?.find(({ codec_type: kind }) => kind === 'video')?.avg_frame_rate),
    isEdited: structure.index.some(({ isEdited }) => isEdited),
  };
}

/** Facts that ffprobe does not give of a file. */
interface Structure {
  readonly index: readonly IndexedTrack[];
  readonly entries: ReadonlySet<number>;
  readonly pids: ReadonlySet<number>;
}

function structureOf(file: FileBytes): Structure {
  return { index: indexedTracks(file), entries: encryptedEntries(file), pids: encryptedPids(file) };
}

/** ffprobe reports a family of containers: `mov,mp4,m4a,3gp,3g2,mj2`. */
function containerOf(names: string, file: string): string {
  const all = names.split(',');
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return all.includes(extension) ? extension : (all[0] ?? '');
}

/** An encrypted track is not readable: its codec says so. */
function asTrack(stream: ProbedStream, { index: indexed, entries, pids }: Structure): FileTrack[] {
  const kind = stream.codec_type;
  if ((kind !== 'video' && kind !== 'audio') || stream.disposition?.attached_pic === 1) return [];
  const { index, codec_name: codec = 'unknown', profile = '' } = stream;
  const entry = indexed[index]?.encrypted;
  if (entry !== undefined) return [{ index, kind, codec: `${entry} (encrypted ${codec})`, profile, details: '' }];
  // ffprobe finds no settings in frames that are no AAC, and ffmpeg refuses to write them.
  if (codec === 'aac' && Number(stream.sample_rate) === 0) {
    return [{ index, kind, codec: 'encrypted or damaged aac', profile, details: '' }];
  }
  if (entries.has(index) || pids.has(Number(stream.id))) {
    return [{ index, kind, codec: `encrypted ${codec}`, profile, details: '' }];
  }
  return [{ index, kind, codec, profile, details: detailsOf(stream) }];
}

/** 29.97 for `30000/1001`; undefined for `0/0`. */
function quotient(ratio = ''): number | undefined {
  const [over = 0, under = 0] = ratio.split('/').map(Number);
  return over > 0 && under > 0 ? Number((over / under).toFixed(3)) : undefined;
}

/** `PCM signed 16-bit little-endian, 48 kHz, 2 channels`. */
function detailsOf({ codec_long_name: name, sample_rate: rate, channels }: ProbedStream): string {
  const hertz = Number(rate);
  return [
    ...(name === undefined || name === 'unknown' ? [] : [name]),
    ...(hertz > 0 ? [`${hertz / 1000} kHz`] : []),
    ...(channels !== undefined && channels > 0 ? [channels === 1 ? '1 channel' : `${channels} channels`] : []),
  ].join(', ');
}

export interface PacketTime {
  readonly decodeTimeMs: number;
  readonly bytes: number;
  readonly isKey: boolean;
}

/** Packets of one track in file order; times relative to the start of the file. */
export async function packetTimes(
  ffprobe: string,
  file: string,
  track: FileTrack,
  startS: number,
): Promise<PacketTime[]> {
  const rows = await probing(() => prober(ffprobe).allPackets({ from: file }, track.index, LIMITS));
  return rows
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const [pts = '', dts = '', size = '', flags = ''] = row.split(',');
      const seconds = [dts, pts].map(Number.parseFloat).find((time) => !Number.isNaN(time)) ?? 0;
      return {
        decodeTimeMs: Math.max(0, Math.round((seconds - startS) * 1000)),
        bytes: Number(size) || 0,
        isKey: flags.startsWith('K'),
      };
    });
}

/** Numbers of the packets of a track, as `remuxToFlv` reads them, that are no part of what its edit list shows. */
export async function discardedPackets(ffprobe: string, file: string, track: FileTrack): Promise<ReadonlySet<number>> {
  const places = async (isEdited: boolean) =>
    (await probing(() => prober(ffprobe).packetPlaces({ from: file, isEdited }, track.index, LIMITS)))
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => row.split(','));
  const shown = new Set((await places(false)).flatMap(([at = '', flags = '']) => (flags.includes('D') ? [] : [at])));
  const all = await places(true);
  return new Set(all.flatMap(([at = ''], number) => (shown.has(at) ? [] : [number])));
}

/** Listing the packets of a long file reads all of it. Some 30 bytes per packet: four million packets. */
const LIMITS = { timeoutMs: 3_600_000, stdoutMax: 128 * 1024 * 1024 };

const prober = (path: string) =>
  new Ffprobe({ probe: (args, options, input = '') => runTool(path, args(input), options) });

/** @throws the system's error when ffprobe cannot be started, else an Error with ffprobe's message */
async function probing(run: () => Promise<string>): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw error.cause ?? new Error(reasonOf(error.stderr.trim() || error.message));
  }
}

/** The last messages of ffmpeg after any failure: they follow the message that names the reason. */
const CONSEQUENCE =
  /^(Error initializing output stream|Could not write header|av_interleaved_write_frame\(\)|Error writing trailer|Error (submitting|muxing) a packet|Task finished with error|Terminating thread|Nothing was written|Conversion failed|Invalid data found when processing input$)/;

/** The message that names the reason, without its prefix and file name: `[mov @ 0x55…] moov atom not found` → `moov atom not found`. */
export function reasonOf(said: string): string {
  const lines = said
    .split('\n')
    .map((line) =>
      line
        .replace(/^(\[[^\]]*\]\s*)+/, '')
        .replace(/^file:.*?: /, '')
        .replace(/\s*--\s*$/, '')
        .trim(),
    )
    .filter((line) => line !== '');
  // The first of the consequences still has an error of the system.
  return lines.findLast((line) => !CONSEQUENCE.test(line)) ?? lines[0] ?? said;
}

/** Reads Matroska and WebM (RFC 9559) in the order of the file. */
import { WireError } from '../../bytes/wire-error.js';
import { CLUSTERS_MAX, EMPTY_FRAMES_MAX, FRAME_BYTES_MAX, PARTS_MAX } from '../source/limits.js';
import { cut, type Frame, isReadable, newFrame, type Reader, type SourceTrack } from '../source/media-file.js';
import type { SourceReader } from '../source/source-reader.js';
import { BLOCK_HEAD_BYTES, type Block, readBlock } from './blocks.js';
import { DecodeTimes, PROBED_FRAMES, reorderDepth } from './decode-times.js';
import { childrenOf, type Element, elementAt, ID, TOP_LEVEL, unsigned } from './elements.js';
import { type MatroskaTrack, readTracks } from './tracks.js';

const CLAUSE = 'RFC 9559, 5';
const CLUSTER_ID = Uint8Array.of(0x1f, 0x43, 0xb6, 0x75);
/** The first frames of all tracks, which say when the file starts, lie within so many bytes and blocks (FFmpeg, `probesize`). */
const PROBED_BYTES = 5_000_000;
const PROBED_BLOCKS = 2500;

interface TimedBlock extends Block {
  /** Time of its first frame, in ticks. */
  readonly ticks: number;
  /** Duration of all its frames, in ticks; 0: the file does not say. */
  readonly duration: number;
}

/** Times of the first frames of a track, in ticks. */
type FirstTimes = ReadonlyMap<MatroskaTrack, readonly number[]>;

interface Head {
  readonly segment: Element;
  readonly encoder: string;
  readonly tracks: readonly MatroskaTrack[];
  readonly firstCluster: number;
}

export class MatroskaReader implements Reader {
  readonly container: string;
  readonly encoder: string;
  readonly tracks: readonly SourceTrack[];
  readonly isEdited = false;
  readonly #file: SourceReader;
  readonly #head: Head;
  #startS = 0;
  #firstTimes: FirstTimes = new Map();
  #problem: string | undefined;

  private constructor(file: SourceReader, container: string, head: Head) {
    this.#file = file;
    this.#head = head;
    this.container = container;
    this.encoder = head.encoder;
    this.tracks = head.tracks.map(({ track }) => track);
  }

  /** A text says why nothing can be read. */
  static async open(file: SourceReader, container: string): Promise<MatroskaReader | string> {
    const head = await readHead(file);
    if (typeof head === 'string') return head;
    const reader = new MatroskaReader(file, container, head);
    await reader.#probe();
    reader.#problem = segmentProblem(file, head.segment);
    return reader;
  }

  get startS(): number {
    return this.#startS;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async *frames(wanted: ReadonlySet<number>): AsyncGenerator<Frame> {
    const tracks = new Map<number, TrackTimes>();
    for (const each of this.#head.tracks) {
      if (wanted.has(each.track.index)) tracks.set(each.number, new TrackTimes(each, this.#firstTimes.get(each) ?? []));
    }
    const [first] = tracks.values();
    if (first === undefined) return;
    const frame = newFrame(first.track);
    let emptyLeft = EMPTY_FRAMES_MAX;
    for await (const block of this.#blocks()) {
      const track = tracks.get(block.track);
      if (track === undefined) continue;
      track.begin(block);
      for (const { at, size } of block.frames) {
        if (size === 0 && emptyLeft-- === 0) {
          throw new WireError('CONTAINER_EMPTY_FRAMES', 'too many empty frames', CLAUSE, at);
        }
        await this.#fill(frame, track, at, size);
        frame.isKey = block.isKey || track.track.kind === 'audio';
        yield frame;
      }
    }
  }

  async #fill(frame: Frame, times: TrackTimes, at: number, size: number): Promise<void> {
    const { track, prefix } = times;
    times.next(frame);
    frame.track = track;
    frame.byteOffset = at;
    frame.data.clear();
    if (!isReadable(track)) {
      frame.data.pushHole(prefix.length + size);
      return;
    }
    if (size > FRAME_BYTES_MAX) throw new WireError('CONTAINER_FRAME_SIZE', `a frame of ${size} bytes`, CLAUSE, at);
    if (prefix.length > 0) frame.data.push(prefix, 0, prefix.length);
    if (size > 0 && !this.#file.append(frame.data, at, size)) await this.#file.load(frame.data, at, size);
  }

  /** Finds when the tracks start, and how far their first frames are reordered. */
  async #probe(): Promise<void> {
    const firstTimes = new Map<MatroskaTrack, number[]>(this.#head.tracks.map((track) => [track, []]));
    const byNumber = new Map(this.#head.tracks.map((track) => [track.number, track]));
    let left = PROBED_BLOCKS;
    for await (const { track: number, ticks, frames } of this.#blocks()) {
      const track = byNumber.get(number);
      const times = track === undefined ? undefined : firstTimes.get(track);
      if (track !== undefined && times !== undefined && times.length < PROBED_FRAMES) times.push(ticks - track.delay);
      const isComplete = [...firstTimes].every(
        ([{ track: each }, found]) => found.length >= (each.kind === 'video' ? PROBED_FRAMES : 1),
      );
      const isFar = (frames[0]?.at ?? 0) > this.#head.firstCluster + PROBED_BYTES;
      if (isComplete || isFar || left-- === 0) break;
    }
    const starts = [...firstTimes].flatMap(([{ track }, [first]]) =>
      first === undefined ? [] : [first / track.ticksPerSecond],
    );
    this.#startS = starts.length === 0 ? 0 : Math.min(...starts);
    this.#firstTimes = firstTimes;
  }

  /** The blocks of all clusters, those inside of groups too. */
  async *#blocks(): AsyncGenerator<TimedBlock> {
    const end = Math.min(this.#head.segment.to ?? this.#file.size, this.#file.size);
    let clusterTime = 0;
    let clusterEnd = end;
    let left = CLUSTERS_MAX;
    for (let at = this.#head.firstCluster; at < end; ) {
      const element = await elementAt(this.#file, at, true);
      const isTop = element !== undefined && TOP_LEVEL.has(element.id);
      const limit = isTop || at >= clusterEnd ? Number.POSITIVE_INFINITY : clusterEnd;
      if (element === undefined || (element.to === undefined && !isTop) || (element.to ?? 0) > limit) {
        at = await this.#resync(at, end);
        continue;
      }
      const { id, from, to = from } = element;
      if (id === ID.cluster) {
        if (left-- === 0) throw new WireError('CONTAINER_CLUSTERS', 'more clusters than any recording has', CLAUSE, at);
        clusterEnd = element.to ?? end;
        this.#noteEnd(element);
        at = from;
        continue;
      }
      if (to > this.#file.size) {
        this.#noteEnd(element);
        return;
      }
      if (id === ID.timestamp) clusterTime = unsigned(await this.#file.bytes(from, Math.min(8, to - from)));
      else if (id === ID.simpleBlock) {
        const block = await this.#block(from, to);
        if (block !== undefined) yield { ...block, ticks: clusterTime + block.time, duration: 0 };
      } else if (id === ID.blockGroup) {
        const block = await this.#group(from, to);
        if (block !== undefined) yield { ...block, ticks: clusterTime + block.time };
      }
      at = to;
    }
  }

  async #block(from: number, to: number): Promise<Block | undefined> {
    const head = await this.#file.bytes(from, Math.min(BLOCK_HEAD_BYTES, to - from));
    const block = readBlock(head, from, to);
    if (block === undefined) this.#problem ??= `damaged file: no block (at byte ${from})`;
    return block;
  }

  async #group(from: number, to: number): Promise<(Block & { readonly duration: number }) | undefined> {
    let block: Block | undefined;
    let duration = 0;
    let isKey = true;
    for (let at = from; at < to; ) {
      const element = await elementAt(this.#file, at, true);
      if (element?.to === undefined || element.to > to) break;
      if (element.id === ID.block) block ??= await this.#block(element.from, element.to);
      if (element.id === ID.referenceBlock) isKey = false;
      if (element.id === ID.blockDuration) {
        duration = unsigned(await this.#file.bytes(element.from, Math.min(8, element.to - element.from)));
      }
      at = element.to;
    }
    return block === undefined ? undefined : { ...block, isKey, duration };
  }

  /** The next cluster behind bytes that are no element. */
  async #resync(at: number, end: number): Promise<number> {
    this.#problem ??= `damaged file: no element (at byte ${at})`;
    for (let from = at + 1; from < end; ) {
      const bytes = await this.#file.bytes(from, SCAN_BYTES);
      const found = indexOf(bytes, CLUSTER_ID);
      if (found >= 0) return from + found;
      if (bytes.length < SCAN_BYTES) break;
      from += bytes.length - CLUSTER_ID.length + 1;
    }
    return end;
  }

  #noteEnd({ from, to }: Element): void {
    if (to !== undefined && to > this.#file.size) {
      this.#problem ??= cut('the last element', to - from, this.#file.size - from);
    }
  }
}

const SCAN_BYTES = 64 * 1024;

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  for (let at = bytes.indexOf(wanted[0] ?? 0); at >= 0; at = bytes.indexOf(wanted[0] ?? 0, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

/** Times of the frames of a track, one after the other. */
class TrackTimes {
  readonly track: SourceTrack;
  readonly prefix: Uint8Array;
  readonly #delay: number;
  readonly #frameTicks: number;
  readonly #stepTicks: number;
  readonly #decodeTimes: DecodeTimes | undefined;
  #next = 0;
  #step = 0;

  constructor({ track, prefix, delay, frameNs }: MatroskaTrack, firstTimes: readonly number[]) {
    this.track = track;
    this.prefix = prefix;
    this.#delay = delay;
    this.#frameTicks = frameNs > 0 ? (frameNs * track.ticksPerSecond) / 1e9 : meanStep(firstTimes);
    this.#stepTicks = Math.floor(this.#frameTicks) || this.#frameTicks;
    if (REORDERED.has(track.codec)) {
      const depth = reorderDepth(track.codec === 'h264' ? track.settings : undefined, firstTimes);
      this.#decodeTimes = new DecodeTimes(
        depth,
        LATE.has(track.codec) ? undefined : { frameTicks: this.#frameTicks, stepTicks: this.#stepTicks },
      );
    }
  }

  begin({ ticks, duration, frames }: TimedBlock): void {
    this.#next = ticks - this.#delay;
    const own = duration > 0 ? duration / frames.length : this.#stepTicks;
    this.#step = own > 0 || this.track.kind === 'video' ? own : AAC_SAMPLES_S * this.track.ticksPerSecond;
  }

  next(frame: Frame): void {
    frame.presentationTime = this.#next;
    frame.decodeTime = this.#decodeTimes?.of(this.#next) ?? this.#next;
    this.#next += this.#step;
  }
}

/** Codecs whose decode times FFmpeg derives from the order of presentation. */
const REORDERED: ReadonlySet<string> = new Set(['h264', 'hevc', 'vvc', 'mpeg1video', 'mpeg2video', 'mpeg4']);
/** Those whose first frames have none. */
const LATE: ReadonlySet<string> = new Set(['hevc', 'vvc']);
const AAC_SAMPLES_S = 1024 / 48_000;

function meanStep(times: readonly number[]): number {
  return times.length < 2 ? 0 : (Math.max(...times) - Math.min(...times)) / (times.length - 1);
}

function segmentProblem(file: SourceReader, { from, to }: Element): string | undefined {
  return to === undefined || to <= file.size ? undefined : cut('the segment', to - from, file.size - from);
}

/** Everything that stands before the first cluster; the tracks may follow behind the clusters. */
async function readHead(file: SourceReader): Promise<Head | string> {
  const ebml = await elementAt(file, 0);
  if (ebml?.to === undefined || !(await isWhole(file, ebml.from, ebml.to))) {
    return 'damaged file: the EBML header is malformed';
  }
  const segment = await elementAt(file, ebml.to);
  if (segment?.id !== ID.segment) return 'damaged file: the segment is missing';
  const end = Math.min(segment.to ?? file.size, file.size);
  let encoder = '';
  let scale = 1_000_000;
  let firstCluster: number | undefined;
  let content: Uint8Array | undefined;
  let at = segment.from;
  for (let count = 0; at < end && count < PARTS_MAX && (content === undefined || firstCluster === undefined); count++) {
    const element = await elementAt(file, at);
    if (element === undefined) break;
    const { id, from, to } = element;
    if (id === ID.cluster) firstCluster ??= at;
    if (id === ID.info || id === ID.tracks) {
      const bytes = await file.bytes(from, Math.min(HEAD_BYTES_MAX, (to ?? end) - from));
      if (id === ID.tracks) content = bytes.slice();
      else ({ encoder, scale } = readInfo(bytes));
    }
    if (to === undefined) break;
    at = to;
  }
  if (content === undefined) return 'damaged file: the tracks are missing';
  const tracks = readTracks(content, scale);
  return { segment, encoder, tracks, firstCluster: firstCluster ?? end };
}

/** The elements between these positions end where the last one does. */
async function isWhole(file: SourceReader, from: number, to: number): Promise<boolean> {
  let at = from;
  for (let count = 0; at < to && count < TOP_LEVEL.size + 20; count++) at = (await elementAt(file, at))?.to ?? to + 1;
  return at === to;
}

/** Settings of a handful of tracks. */
const HEAD_BYTES_MAX = 1024 * 1024;
const UTF8 = new TextDecoder();

function readInfo(content: Uint8Array): { readonly encoder: string; readonly scale: number } {
  const fields = new Map(childrenOf(content).map((field) => [field.id, field.content]));
  const app = fields.get(ID.muxingApp);
  const scale = unsigned(fields.get(ID.timestampScale) ?? new Uint8Array(0));
  return {
    encoder: app === undefined ? '' : UTF8.decode(app.subarray(0, 255)).replace(/\0.*$/s, ''),
    scale: scale > 0 ? scale : 1_000_000,
  };
}

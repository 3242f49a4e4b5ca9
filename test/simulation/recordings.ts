/** Recordings in the simulation: the disk under a recorder, and whether every packet that was taken is in a segment or in a told gap. */
import { SliceList } from '../../src/bytes/slices.js';
import { isSequenceHeader, type MessageKind } from '../../src/media/flv/latest-headers.js';
import { BACK_POINTER_BYTES, FILE_HEADER_BYTES, TAG_HEADER_BYTES } from '../../src/media/flv/sizes.js';
import type { MediaTap, TappedStream, TapSource } from '../../src/ports/index.js';
import { ALIGNED_BYTES, BLOCK_BYTES } from '../../src/recording/aligned-buffers.js';
import { RECORDER } from '../../src/recording/limits.js';
import type { Recorder } from '../../src/recording/recorder.js';
import type { RecordingDisk } from '../../src/recording/segment-disk.js';
import { SERVICE_CODES } from '../../src/rules/registry/service-codes.js';
import { type Disk, DiskError } from './files.js';
import type { Actor, World } from './world.js';

/** Shared by all runs: a buffer has arbitrary content. */
const FREE: Uint8Array[] = [];
/** A write or sync takes this long, beside what a slow disk adds. */
const TAKES_MS = { from: 0.1, to: 4 } as const;
/** A write begins some rounds after its time, and a sync waits for those of other recordings. */
const LATE_MS = 500;
/** A disk that is full may take a part of a write several times before it refuses one. */
const FULL_MS = 3_000;
/** A queue of a recording may have grown for so long before its packets count as late. */
const TOLD_MS = { before: 60_000, after: 30_000 } as const;
const TOLD: readonly number[] = [SERVICE_CODES.recordingGap, SERVICE_CODES.recordingStopped];

/** The disk of a machine, as the recorder of one process sees it. `isDirect`: whole blocks are written past the cache. */
export function recordingDisk(disk: Disk, actor: Actor, isDirect: boolean): RecordingDisk {
  const { world } = disk;
  const settle = (answer: Promise<unknown>, done: (error: Error | null) => void) =>
    void answer.then(
      () => done(null),
      (error: unknown) => done(error as Error),
    );
  return {
    buffers: {
      isAligned: isDirect,
      take: () => FREE.pop() ?? new Uint8Array(ALIGNED_BYTES),
      release: (buffer) => void FREE.push(buffer),
    },
    createFolder: (_path, done) =>
      settle(
        disk.run(actor, () => undefined),
        done,
      ),
    file: (path) => {
      const slowly = <Answer>(work: () => Answer) =>
        disk.run(actor, () => undefined).then(() => world.pause(world.between(TAKES_MS.from, TAKES_MS.to)).then(work));
      return {
        blockBytes: isDirect ? BLOCK_BYTES : 1,
        create: (done) =>
          settle(
            disk.run(actor, () => disk.create(path)),
            done,
          ),
        write: (pieces, position, _throughCache, done) => {
          const bytes = Buffer.concat(pieces);
          slowly(() => {
            if (!disk.isFull) {
              disk.find(path).put(bytes, position, world.nowMs);
              return bytes.length;
            }
            const part = world.chance(0.5) ? world.whole(0, Math.floor(bytes.length / BLOCK_BYTES)) * BLOCK_BYTES : 0;
            if (part === 0) throw new DiskError('ENOSPC');
            disk.find(path).put(bytes.subarray(0, part), position, world.nowMs);
            return part;
          }).then(
            (written) => done(null, written),
            (error: unknown) => done(error as Error, 0),
          );
        },
        sync: (done) =>
          settle(
            slowly(() => {
              const content = disk.find(path);
              content.synced = content.size;
            }),
            done,
          ),
        close: (done) => void disk.run(actor, () => undefined).then(done),
        closeNow: () => undefined,
      };
    },
  };
}

/** A packet that a publication took. */
export interface Packet {
  readonly kind: 'audio' | 'video';
  readonly timestampMs: number;
  readonly payload: Uint8Array;
  readonly atMs: number;
}

/** What one recorder was given of one connection, and where it put it. */
interface Recording {
  readonly liveVideoId: string;
  readonly actor: Actor;
  readonly disk: Disk;
  /** All packets of the connection. */
  readonly packets: readonly Packet[];
  /** Those from here on were to be recorded, up to `to`, once it is over. */
  readonly from: number;
  to: number | undefined;
  readonly paths: Set<string>;
  /** When the recorder told the broadcast of a gap. */
  readonly toldMs: number[];
}

export class Recordings {
  readonly #world: World;
  readonly #all: Recording[] = [];
  /** The packets of the connection with which a process receives a broadcast. */
  readonly #received = new Map<string, readonly Packet[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** How many packets were to be recorded. */
  get packets(): number {
    return this.#all.reduce((sum, { packets, from, to = packets.length }) => sum + to - from, 0);
  }

  receives(actor: Actor, liveVideoId: string): Packet[] {
    const packets: Packet[] = [];
    this.#received.set(`${actor.name} ${liveVideoId}`, packets);
    return packets;
  }

  /** The recorder of a process, as its publications see it. */
  watched(recorder: Recorder, actor: Actor, disk: Disk): TapSource {
    return {
      open: (stream, when) => {
        const { liveVideoId } = stream;
        const packets = this.#received.get(`${actor.name} ${liveVideoId}`) ?? [];
        const from = Math.max(0, packets.length - 1);
        const recording: Recording = {
          ...{ liveVideoId, actor, disk, packets, from, to: undefined },
          ...{ paths: new Set<string>(), toldMs: [] },
        };
        const tap = recorder.open(this.#told(stream, recording), when);
        if (tap === undefined) return undefined;
        this.#all.push(recording);
        const note = () => void (tap.segment === undefined || recording.paths.add(tap.segment.path));
        note();
        return {
          copies: tap.copies,
          get isIdle() {
            return tap.isIdle;
          },
          packet: (kind, timestampMs, payload) => {
            tap.packet(kind, timestampMs, payload);
            note();
          },
          close: () => {
            recording.to ??= packets.length;
            tap.close();
          },
        } satisfies MediaTap;
      },
    };
  }

  #told(stream: TappedStream, { toldMs }: Recording): TappedStream {
    return {
      ...stream,
      note: (code, observed, match) => {
        if (TOLD.includes(code)) toldMs.push(this.#world.nowMs);
        stream.note(code, observed, match);
      },
    };
  }

  /** What is missing of recordings without a reason. */
  broken(): string[] {
    return this.#all.flatMap((recording) => this.#brokenOf(recording));
  }

  #brokenOf({ liveVideoId, actor, disk, packets, from, to = packets.length, paths, toldMs }: Recording): string[] {
    const wanted = packets.slice(from, to).filter(({ kind, payload }) => !isHeader(kind, payload));
    const found = [...paths].flatMap((path) => tagsOf(disk.files.get(path)?.bytes ?? Buffer.alloc(0)));
    const whose = `the recording of ${liveVideoId} by ${actor.name}`;
    const missing: Packet[] = [];
    let next = 0;
    for (const [index, packet] of wanted.entries()) {
      const tag = found[next];
      if (tag?.kind === packet.kind && tag.timestampMs === packet.timestampMs && tag.bytes === packet.payload.length)
        next += 1;
      // The recording may have begun between this one and the next.
      else if (index > 0) missing.push(packet);
    }
    if (next < found.length) return [`${whose} has a packet at ${found[next]?.timestampMs} ms that it was not given`];
    // At most: bytes that wait for the next write, or for the next sync.
    const lateMs = LATE_MS + 4 * disk.slowestMs + 10 * actor.slowestMs + (disk.hasBeenFull ? FULL_MS : 0);
    const dueMs = actor.diedMs - RECORDER.flushMs - lateMs;
    // A process that stood still in that time wrote nothing meanwhile.
    const wokeMs = Math.min(actor.stillUntilMs, actor.diedMs);
    const unwrittenMs = dueMs - (wokeMs > dueMs ? Math.max(0, wokeMs - actor.stillSinceMs) : 0);
    const isLost = (atMs: number) =>
      atMs > unwrittenMs || (atMs > unwrittenMs - RECORDER.syncMs && disk.mayHaveLost(atMs));
    const untold = missing.filter(
      ({ atMs }) =>
        !isLost(atMs) && !toldMs.some((told) => told - TOLD_MS.after < atMs && atMs < told + TOLD_MS.before),
    );
    const [first] = untold;
    if (first === undefined) return [];
    return [
      `${whose} lacks ${untold.length} of ${wanted.length} packets, the first at ${first.timestampMs} ms, and tells no gap`,
    ];
  }
}

const isHeader = (kind: MessageKind, payload: Uint8Array): boolean =>
  kind === 'data' || isSequenceHeader(kind, SliceList.of(payload));

interface Tag {
  readonly kind: 'audio' | 'video';
  readonly timestampMs: number;
  readonly bytes: number;
}

/** The frames of a file, up to where it was cut. */
function tagsOf(file: Buffer): Tag[] {
  const tags: Tag[] = [];
  for (let at = FILE_HEADER_BYTES + BACK_POINTER_BYTES; at + TAG_HEADER_BYTES <= file.length; ) {
    const kind = file[at] === 9 ? 'video' : file[at] === 8 ? 'audio' : file[at] === 18 ? 'data' : undefined;
    const bytes = file.readUIntBE(at + 1, 3);
    const start = at + TAG_HEADER_BYTES;
    if (kind === undefined || start + bytes > file.length) break;
    const timestampMs = file.readUIntBE(at + 4, 3) + (file[at + 7] ?? 0) * 2 ** 24;
    const payload = file.subarray(start, start + bytes);
    const end = start + bytes;
    // Zeros after a power loss.
    if (end + BACK_POINTER_BYTES <= file.length && file.readUInt32BE(end) !== TAG_HEADER_BYTES + bytes) break;
    if (kind !== 'data' && !isHeader(kind, payload)) tags.push({ kind, timestampMs, bytes });
    at = start + bytes + BACK_POINTER_BYTES;
  }
  return tags;
}

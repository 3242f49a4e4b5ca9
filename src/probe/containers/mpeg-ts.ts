/**
 * MPEG transport streams (ISO/IEC 13818-1 §2.4): TS, M2TS, MTS. Packets have a fixed size, and PES packets a length, except
 * for video: there, only stuffing in its last packet shows that the last frame is complete.
 */
import { type Layout, layoutOf, SYNC, TIMED_BYTES, TS_BYTES } from '../../containers/ts/packets.js';
import type { Container, OpenEnd } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

/** Longer than a key frame interval of most streams. */
const TAIL_BYTES = 8 * 1024 * 1024;
const NULL_PID = 0x1fff;

export const transportStream: Container = {
  demuxers: ['mpegts'],
  findTruncation,
};

/** Why the file is truncated. Where the last unit has no stuffing, only decoding can tell: an `OpenEnd`. */
function findTruncation(file: FileBytes): string | OpenEnd | undefined {
  const layout = packetsOf(file.read(0, 4096));
  if (layout === undefined) return undefined;
  const { first, packetBytes } = layout;
  const count = Math.floor((file.size - first) / packetBytes);
  if (count < 2) return undefined;
  const wanted = Math.min(count, Math.floor(TAIL_BYTES / packetBytes));
  const tail = file.read(first + (count - wanted) * packetBytes, wanted * packetBytes);
  const last = tail.subarray(tail.length - packetBytes);
  // If the packets do not reach the end of the file, the fault is another one.
  if (last[syncOffset(packetBytes)] !== SYNC) return undefined;
  const rest = file.size - first - count * packetBytes;
  if (rest > 0) return truncated('the last packet', packetBytes, rest);
  return openEnd(tail, packetBytes);
}

const syncOffset = (packetBytes: number): number => (packetBytes === TIMED_BYTES ? 4 : 0);

/** `first`: position of the first packet, with the time stamp in front of it. */
function packetsOf(head: Uint8Array): Layout | undefined {
  const layout = layoutOf(head);
  return layout && { ...layout, first: layout.first - syncOffset(layout.packetBytes) };
}

/** Stream types of tracks encrypted frame by frame, their headers in the clear (MPEG-2 Stream Encryption Format for HTTP Live Streaming). */
const SAMPLE_ENCRYPTED: ReadonlySet<number> = new Set([0xcf, 0xc1, 0xc2, 0xdb]);
const PMT = 2;
/** Tables come several times a second. */
const HEAD_BYTES = 4 * 1024 * 1024;

/** PIDs of the encrypted tracks: by their type, or by the scrambling control of most packets (2.4.3.3). None for other files. */
export function encryptedPids(file: FileBytes): ReadonlySet<number> {
  const layout = packetsOf(file.read(0, 4096));
  const found = new Set<number>();
  if (layout === undefined) return found;
  const { first, packetBytes } = layout;
  const head = file.read(first, HEAD_BYTES);
  /** Packets of a PID with a payload: in the clear, scrambled. */
  const counts = new Map<number, [clear: number, scrambled: number]>();
  for (let at = syncOffset(packetBytes); at + TS_BYTES <= head.length; at += packetBytes) {
    const packet = head.subarray(at, at + TS_BYTES);
    if (packet[0] !== SYNC) break;
    const flags = packet[3] ?? 0;
    const pid = packet.readUInt16BE(1) & 0x1fff;
    if ((flags & 0x10) === 0 || pid === NULL_PID) continue;
    const count = counts.get(pid) ?? [0, 0];
    count[(flags & 0xc0) === 0 ? 0 : 1]++;
    counts.set(pid, count);
    if ((packet[1] ?? 0) & 0x40 && count[1] === 0) for (const one of sampleEncrypted(payloadOf(packet))) found.add(one);
  }
  for (const [pid, [clear, scrambled]] of counts) if (scrambled > clear) found.add(pid);
  return found;
}

/** PIDs of such tracks in a program map (2.4.4.8) that begins in this payload; none for other payload. */
function sampleEncrypted(payload: Buffer): number[] {
  const table = payload.subarray(1 + (payload[0] ?? 0));
  if (table.length < 12 || table[0] !== PMT || (table.readUInt16BE(1) & 0xf000) !== 0xb000) return [];
  const end = Math.min(table.length, 3 + (table.readUInt16BE(1) & 0xfff) - 4);
  const found: number[] = [];
  for (let at = 12 + (table.readUInt16BE(10) & 0xfff); at + 5 <= end; ) {
    if (SAMPLE_ENCRYPTED.has(table[at] ?? 0)) found.push(table.readUInt16BE(at + 1) & 0x1fff);
    at += 5 + (table.readUInt16BE(at + 3) & 0xfff);
  }
  return found;
}

function payloadOf(packet: Buffer): Buffer {
  const isPadded = ((packet[3] ?? 0) & 0x20) !== 0;
  return packet.subarray(isPadded ? 5 + (packet[4] ?? 0) : 4);
}

/** A PES packet of one track. */
interface Unit {
  readonly startAt: number;
  /** Total bytes; undefined when the length is 0 (unbounded), which only video may use. */
  readonly length: number | undefined;
  there: number;
  isPadded: boolean;
}

function openEnd(tail: Buffer, packetBytes: number): string | OpenEnd | undefined {
  const units = new Map<number, Unit>();
  for (let at = 0; at < tail.length; at += packetBytes) {
    const packet = tail.subarray(at + syncOffset(packetBytes), at + syncOffset(packetBytes) + TS_BYTES);
    if (packet[0] !== SYNC) return undefined;
    const pid = packet.readUInt16BE(1) & 0x1fff;
    const flags = packet[3] ?? 0;
    const hasPayload = (flags & 0x10) !== 0;
    const isScrambled = (flags & 0xc0) !== 0;
    if (!hasPayload || isScrambled || pid === NULL_PID) continue;
    const isPadded = (flags & 0x20) !== 0;
    const payload = payloadOf(packet);
    const begins = ((packet[1] ?? 0) & 0x40) !== 0;
    if (begins) units.delete(pid);
    const unit = begins ? unitAt(payload, at) : units.get(pid);
    if (unit === undefined) continue;
    unit.there += payload.length;
    unit.isPadded = isPadded;
    units.set(pid, unit);
  }
  for (const [pid, { length, there }] of units) {
    if (length !== undefined && there < length) return truncated(`the last PES packet of track ${pid}`, length, there);
  }
  for (const [pid, { length, isPadded, startAt }] of units) {
    if (length === undefined && !isPadded) {
      return { pid, tail, tailBefore: withoutPid(tail, packetBytes, pid, startAt) };
    }
  }
  return undefined;
}

/** PSI tables are not PES: they begin with a pointer field. */
function unitAt(payload: Buffer, startAt: number): Unit | undefined {
  if (payload.length < 6 || payload.readUIntBE(0, 3) !== 1) return undefined;
  const length = payload.readUInt16BE(4);
  return { startAt, length: length === 0 ? undefined : 6 + length, there: 0, isPadded: false };
}

function withoutPid(tail: Buffer, packetBytes: number, pid: number, from: number): Buffer {
  const kept: Buffer[] = [tail.subarray(0, from)];
  for (let at = from; at < tail.length; at += packetBytes) {
    const isOf = (tail.readUInt16BE(at + syncOffset(packetBytes) + 1) & 0x1fff) === pid;
    if (!isOf) kept.push(tail.subarray(at, at + packetBytes));
  }
  return Buffer.concat(kept);
}

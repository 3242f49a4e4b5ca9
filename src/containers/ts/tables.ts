/** Program tables of a transport stream (ISO/IEC 13818-1, 2.4.4): which PIDs carry which streams. */
import type { Packet } from './packets.js';

export interface ProgramStream {
  readonly pid: number;
  readonly kind: 'video' | 'audio';
  readonly codec: string;
  /** Encrypted frame by frame, the headers in the clear. */
  readonly isEncrypted: boolean;
  /** Channels by a descriptor; 0: none. */
  readonly channels: number;
}

const PAT_PID = 0;
const PAT = 0;
const PMT = 2;
const SECTION_BYTES_MAX = 4096;
/** Programs and streams of one multiplex. */
const PIDS_MAX = 512;

/** Stream types (Table 2-34), and those of ATSC, HDMV and the encryption of samples (MPEG-2 Stream Encryption Format for HTTP Live Streaming). */
const TYPES: Readonly<Record<number, readonly ['video' | 'audio', string]>> = {
  1: ['video', 'mpeg1video'],
  2: ['video', 'mpeg2video'],
  3: ['audio', 'mp2'],
  4: ['audio', 'mp2'],
  15: ['audio', 'aac'],
  16: ['video', 'mpeg4'],
  17: ['audio', 'aac_latm'],
  27: ['video', 'h264'],
  28: ['audio', 'aac'],
  36: ['video', 'hevc'],
  51: ['video', 'vvc'],
  66: ['video', 'cavs'],
  128: ['audio', 'pcm_bluray'],
  129: ['audio', 'ac3'],
  130: ['audio', 'dts'],
  131: ['audio', 'truehd'],
  132: ['audio', 'eac3'],
  133: ['audio', 'dts'],
  134: ['audio', 'dts'],
  135: ['audio', 'eac3'],
  138: ['audio', 'dts'],
  193: ['audio', 'ac3'],
  194: ['audio', 'eac3'],
  207: ['audio', 'aac'],
  209: ['video', 'dirac'],
  219: ['video', 'h264'],
  234: ['video', 'vc1'],
};
const ENCRYPTED: ReadonlySet<number> = new Set([193, 194, 207, 219]);
const PRIVATE = 6;
/** Codec of a private stream that only its frames tell. */
export const PRIVATE_SOUND = 'private';
const REGISTRATION = 5;
const EXTENSION = 0x7f;
/** Registered formats of private streams. */
const FORMATS: Readonly<Record<string, readonly ['video' | 'audio', string]>> = {
  Opus: ['audio', 'opus'],
  'AC-3': ['audio', 'ac3'],
  EAC3: ['audio', 'eac3'],
  DTS1: ['audio', 'dts'],
  DTS2: ['audio', 'dts'],
  DTS3: ['audio', 'dts'],
  HEVC: ['video', 'hevc'],
  AV01: ['video', 'av1'],
  BSSD: ['audio', 's302m'],
};
/** Descriptors of DVB (ETSI EN 300 468, 6.1). */
const DVB: Readonly<Record<number, string>> = { 106: 'ac3', 122: 'eac3', 123: 'dts', 124: 'aac' };

interface Section {
  bytes: Uint8Array;
  there: number;
  size: number;
}

export class ProgramTables {
  /** Streams in the order of the tables. */
  readonly streams: ProgramStream[] = [];
  /** PIDs of program maps that were announced and not read yet. */
  readonly missing = new Set<number>();
  hasPat = false;
  readonly #known = new Set<number>();
  readonly #maps = new Set<number>();
  readonly #sections = new Map<number, Section>();

  /** Whether the packet belongs to a table. */
  take(packet: Packet): boolean {
    const { pid } = packet;
    if (pid !== PAT_PID && !this.#maps.has(pid)) return false;
    if (packet.isScrambled || !packet.hasPayload) return true;
    let { from } = packet;
    if (packet.isStart) {
      const pointer = packet.buffer[from] ?? 0;
      this.#append(pid, packet.buffer.subarray(from + 1, Math.min(packet.to, from + 1 + pointer)));
      from += 1 + pointer;
      this.#sections.delete(pid);
      if (from + 3 <= packet.to) this.#begin(pid, packet.buffer.subarray(from, packet.to));
    } else this.#append(pid, packet.buffer.subarray(from, packet.to));
    return true;
  }

  #begin(pid: number, bytes: Uint8Array): void {
    const size = 3 + ((((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0)) & 0xfff);
    if (size > SECTION_BYTES_MAX || bytes[0] === 0xff) return;
    this.#sections.set(pid, { bytes: new Uint8Array(size), there: 0, size });
    this.#append(pid, bytes);
  }

  #append(pid: number, bytes: Uint8Array): void {
    const section = this.#sections.get(pid);
    if (section === undefined) return;
    const part = bytes.subarray(0, section.size - section.there);
    section.bytes.set(part, section.there);
    section.there += part.length;
    if (section.there < section.size) return;
    this.#sections.delete(pid);
    if (pid === PAT_PID) this.#readPat(section.bytes);
    else this.#readPmt(pid, section.bytes);
  }

  #readPat(section: Uint8Array): void {
    if (section[0] !== PAT) return;
    this.hasPat = true;
    for (let at = 8; at + 4 <= section.length - 4; at += 4) {
      const program = word(section, at);
      const pid = word(section, at + 2) & 0x1fff;
      // Program 0 is the network's table.
      if (program === 0 || this.#maps.has(pid) || this.#maps.size >= PIDS_MAX) continue;
      this.#maps.add(pid);
      this.missing.add(pid);
    }
  }

  #readPmt(pid: number, section: Uint8Array): void {
    if (section[0] !== PMT) return;
    this.missing.delete(pid);
    const end = section.length - 4;
    for (let at = 12 + (word(section, 10) & 0xfff); at + 5 <= end; ) {
      const type = section[at] ?? 0;
      const streamPid = word(section, at + 1) & 0x1fff;
      const next = at + 5 + (word(section, at + 3) & 0xfff);
      const descriptors = section.subarray(at + 5, Math.min(next, end));
      at = next;
      if (this.#known.has(streamPid) || this.#known.size >= PIDS_MAX) continue;
      this.#known.add(streamPid);
      const found = readDescriptors(descriptors);
      const [kind, codec] =
        (type === PRIVATE ? (found.format ?? (['audio', PRIVATE_SOUND] as const)) : (TYPES[type] ?? found.format)) ??
        [];
      if (kind === undefined || codec === undefined) continue;
      this.streams.push({ pid: streamPid, kind, codec, isEncrypted: ENCRYPTED.has(type), channels: found.channels });
    }
  }
}

function readDescriptors(bytes: Uint8Array): {
  readonly format: readonly ['video' | 'audio', string] | undefined;
  readonly channels: number;
} {
  let format: readonly ['video' | 'audio', string] | undefined;
  let channels = 0;
  for (let at = 0; at + 2 <= bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const body = bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0));
    at += 2 + (bytes[at + 1] ?? 0);
    const dvb = DVB[tag];
    if (tag === REGISTRATION) format = FORMATS[String.fromCharCode(...body.subarray(0, 4))] ?? format;
    else if (dvb !== undefined) format ??= ['audio', dvb];
    // The Opus extension (0x80) gives the channels.
    else if (tag === EXTENSION && body[0] === 0x80) channels = body[1] ?? 0;
  }
  return { format, channels };
}

const word = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

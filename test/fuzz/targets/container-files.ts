/** Damaged MP4, MOV, Matroska, WebM and TS: a report comes of any bytes, in bounded reads and memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkContainer } from '../../../src/check/container-check.js';
import type { FileResult } from '../../../src/check/file-report.js';
import { checkUpload } from '../../../src/check/upload-check.js';
import type { FuzzTarget, Parts } from '../../support/fuzz.js';
import { runFfmpeg } from '../../support/media-files.js';

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=15'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=sample_rate=44100'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '8'];
const AAC = ['-c:a', 'aac', '-b:a', '32k'];
/** Endings, codecs, and options of the muxer. */
const FILES: readonly (readonly [string, readonly string[]])[] = [
  ['mp4', [...H264, ...AAC]],
  ['mp4', [...H264, ...AAC, '-movflags', 'frag_keyframe+empty_moov']],
  ['mov', [...H264, '-c:a', 'pcm_s16le', '-ar', '8000']],
  ['mkv', [...H264, ...AAC, '-cluster_time_limit', '300']],
  ['mkv', [...H264, ...AAC, '-live', '1']],
  ['webm', ['-c:v', 'libvpx', '-b:v', '40k', '-c:a', 'libvorbis']],
  ['ts', [...H264, ...AAC]],
  ['ts', [...H264, ...AAC, '-mpegts_flags', 'latm']],
  ['m2ts', [...H264, '-c:a', 'ac3', '-mpegts_m2ts_mode', '1']],
];
const PACKET_BYTES: Readonly<Record<string, number>> = { ts: 188, m2ts: 192 };
const NESTED = /^(moov|trak|mdia|minf|stbl|edts|mvex|moof|traf|udta)$/;
/** IDs of Segment, Cluster, Tracks, TrackEntry, BlockGroup. */
const MASTERS = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xa0]);

export function containerFilesTarget(): FuzzTarget {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-fuzz-containers-'));
  const seeds = FILES.map(([ending, options], i): Parts => {
    const path = join(folder, `${i}.${ending}`);
    runFfmpeg([...PICTURES, ...SOUND, '-t', '1', ...options, path]);
    const file = readFileSync(path);
    const packetBytes = PACKET_BYTES[ending];
    if (packetBytes !== undefined) return packetsOf(file, packetBytes);
    return ending === 'mkv' || ending === 'webm' ? elementsOf(file) : boxesOf(file);
  });
  rmSync(folder, { recursive: true });
  return { seeds, rounds: 1600, msPerKiB: 4, decode };
}

/** Tables and blocks are read again for each track, and the head of the file twice. */
const READ_FACTOR = 400;

async function decode(input: Uint8Array): Promise<void> {
  let read = 0;
  const source = {
    size: input.length,
    read: async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > input.length) throw new Error(`read ${length} at ${offset}`);
      read += length;
      return input.slice(offset, offset + length);
    },
  };
  const reports = [await checkContainer(source, 'fuzzed', {}), await checkUpload(source, 'fuzzed')];
  if (read > READ_FACTOR * (input.length + 4096)) throw new Error(`${read} bytes read of ${input.length}`);
  for (const report of reports) if (report !== undefined) expectReport(report);
}

function expectReport({ outcome, problem, stream, errors }: FileResult): void {
  if (stream !== undefined && !(stream.streamTimeMs >= 0)) throw new Error('a length that is no time');
  if (outcome === 'unreadable' && problem === undefined) throw new Error('unreadable without a reason');
  if (errors.some(({ stream_time_ms: atMs }) => !Number.isFinite(atMs) || atMs < 0))
    throw new Error('a time in no stream');
}

function packetsOf(file: Buffer, size: number): Uint8Array[] {
  return Array.from({ length: Math.floor(file.length / size) }, (_, i) => file.subarray(i * size, (i + 1) * size));
}

/** Heads of boxes with children, and whole boxes without. */
function boxesOf(file: Buffer): Uint8Array[] {
  if (file.length < 8) return file.length === 0 ? [] : [file];
  const size = file.readUInt32BE(0);
  const end = size < 8 || size > file.length ? file.length : size;
  const inside = NESTED.test(file.toString('latin1', 4, 8));
  const own = inside ? [file.subarray(0, 8), ...boxesOf(file.subarray(8, end))] : [file.subarray(0, end)];
  return [...own, ...(end < file.length ? boxesOf(file.subarray(end)) : [])];
}

function elementsOf(file: Buffer): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    const idBytes = Math.clz32(file[at] ?? 0) - 23;
    const sizeBytes = Math.clz32(file[at + idBytes] ?? 0) - 23;
    const from = at + idBytes + sizeBytes;
    let size = (file[at + idBytes] ?? 0) & (0xff >> sizeBytes);
    for (let i = 1; i < sizeBytes; i++) size = size * 256 + (file[at + idBytes + i] ?? 0);
    const isMaster = idBytes <= 4 && MASTERS.has(file.readUIntBE(at, Math.min(4, idBytes)));
    const to = isMaster ? from : Math.min(file.length, from + size);
    parts.push(file.subarray(at, to));
    at = Math.max(to, at + 1);
  }
  return parts;
}

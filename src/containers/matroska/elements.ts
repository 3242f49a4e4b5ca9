/** Elements of EBML (RFC 8794, 4 to 7): an ID, a size, then content or further elements. */
import type { SourceReader } from '../source/source-reader.js';

export interface Element {
  readonly id: number;
  readonly at: number;
  /** Position of its content. */
  readonly from: number;
  /** End, which may lie behind that of the file. Undefined: it ends at the first element that cannot be its child. */
  readonly to: number | undefined;
}

/** IDs of the elements that are read (RFC 9559, 5). */
export const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  muxingApp: 0x4d80,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  codecDelay: 0x56aa,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  displayUnit: 0x54b2,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  outputSamplingFrequency: 0x78b5,
  channels: 0x9f,
  bitDepth: 0x6264,
  contentEncodings: 0x6d80,
  contentEncoding: 0x6240,
  contentEncodingType: 0x5033,
  contentCompression: 0x5034,
  contentCompAlgo: 0x4254,
  contentCompSettings: 0x4255,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  referenceBlock: 0xfb,
  cues: 0x1c53bb6b,
  attachments: 0x1941a469,
  chapters: 0x1043a770,
  tags: 0x1254c367,
} as const;

/** Children of a segment: one of them ends a cluster of unknown size. */
export const TOP_LEVEL: ReadonlySet<number> = new Set([
  ID.seekHead,
  ID.info,
  ID.tracks,
  ID.cluster,
  ID.cues,
  ID.attachments,
  ID.chapters,
  ID.tags,
]);

/** Four bytes of ID, eight of size. */
const HEADER_BYTES = 12;

/** The element whose header is at `at` of `bytes`, which begin at `start` of the file. Undefined: there is none. */
export function elementIn(bytes: Uint8Array, start: number, at = 0): Element | undefined {
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
  const first = bytes[at + idBytes] ?? 0;
  const sizeBytes = Math.clz32(first) - 23;
  if (idBytes > 4 || sizeBytes > 8 || at + idBytes + sizeBytes > bytes.length) return undefined;
  let id = 0;
  for (let i = 0; i < idBytes; i++) id = id * 256 + (bytes[at + i] ?? 0);
  let size = first & (0xff >> sizeBytes);
  let isUnknown = size === 0xff >> sizeBytes;
  for (let i = 1; i < sizeBytes; i++) {
    const byte = bytes[at + idBytes + i] ?? 0;
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  const from = start + at + idBytes + sizeBytes;
  return { id, at: start + at, from, to: isUnknown ? undefined : from + size };
}

/** The element at `at`; `isNear`: its surroundings are read next. */
export async function elementAt(file: SourceReader, at: number, isNear = false): Promise<Element | undefined> {
  const bytes =
    file.peek(at, HEADER_BYTES) ?? (await (isNear ? file.bytes(at, HEADER_BYTES) : file.head(at, HEADER_BYTES)));
  return elementIn(bytes, at);
}

/** Elements inside the content of another one, which is in memory. */
export function childrenOf(
  content: Uint8Array,
  most = 10_000,
): { readonly id: number; readonly content: Uint8Array }[] {
  const found: { id: number; content: Uint8Array }[] = [];
  for (let at = 0; at < content.length && found.length < most; ) {
    const element = elementIn(content, 0, at);
    if (element?.to === undefined) break;
    found.push({ id: element.id, content: content.subarray(element.from, Math.min(element.to, content.length)) });
    at = element.to;
  }
  return found;
}

/** An unsigned integer of up to eight bytes (RFC 8794, 7.2). */
export function unsigned(content: Uint8Array): number {
  let value = 0;
  for (const byte of content.subarray(0, 8)) value = value * 256 + byte;
  return value;
}

export function float(content: Uint8Array): number {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  return content.length === 4 ? view.getFloat32(0) : content.length === 8 ? view.getFloat64(0) : 0;
}

/** Matroska and WebM (RFC 9559): the segment and each cluster hold their length, unless they were written live. */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const MOST_ELEMENTS = 400_000;

export const matroska: Container = { demuxers: ['matroska', 'webm'], findTruncation };

function findTruncation(file: FileBytes): string | undefined {
  let at = 0;
  for (let count = 0; at < file.size && count < MOST_ELEMENTS; count++) {
    const element = elementAt(file, at);
    if (element === undefined) return undefined;
    const { id, bodyAt, length } = element;
    if (length !== undefined && length > file.size - bodyAt) {
      return truncated(id === SEGMENT ? 'the segment' : 'the last element', length, file.size - bodyAt);
    }
    if (id === SEGMENT && length !== undefined) return undefined;
    // Descend into an element of unknown length: the next element of its level ends it.
    if (length !== undefined) at = bodyAt + length;
    else if (id === SEGMENT || id === CLUSTER) at = bodyAt;
    else return undefined;
  }
  return undefined;
}

/** Master elements (RFC 9559, 5.1) on the way from the segment to what is said of the encryption of a track. */
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;
const CONTENT_ENCODINGS = 0x6d80;
const CONTENT_ENCODING = 0x6240;
const CONTENT_ENCODING_TYPE = 0x5033;
const ENCRYPTION = 1;
/** Types that a reader takes for a track: video, audio, subtitles, metadata. */
const TRACK_TYPES: ReadonlySet<number> = new Set([1, 2, 17, 33]);
/** The tracks come before the clusters, after an index and attachments. */
const MOST_AT_TOP = 1000;

/** Indexes of the encrypted tracks (5.1.4.1.31.4); none for other files. */
export function encryptedEntries(file: FileBytes): ReadonlySet<number> {
  const found = new Set<number>();
  if (file.read(0, 4).toString('hex') !== EBML.toString(16)) return found;
  const segment = childrenOf(file, 0, file.size).find(({ id }) => id === SEGMENT);
  if (segment === undefined) return found;
  const end = segment.length === undefined ? file.size : segment.bodyAt + segment.length;
  const tracks = childrenOf(file, segment.bodyAt, end, TRACKS).find(({ id }) => id === TRACKS);
  const entries = inside(file, tracks).filter(
    (entry) => entry.id === TRACK_ENTRY && TRACK_TYPES.has(numberOf(file, entry, TRACK_TYPE) ?? 0),
  );
  for (const [index, entry] of entries.entries()) {
    const encodings = inside(file, entry).filter(({ id }) => id === CONTENT_ENCODINGS);
    const each = encodings.flatMap((all) => inside(file, all)).filter(({ id }) => id === CONTENT_ENCODING);
    if (each.some((one) => numberOf(file, one, CONTENT_ENCODING_TYPE) === ENCRYPTION)) found.add(index);
  }
  return found;
}

/** Elements in `[from, to)`, up to the first of the type `last` or of unknown length. */
function childrenOf(file: FileBytes, from: number, to: number, last = SEGMENT): Element[] {
  const found: Element[] = [];
  for (let at = from; at < to && found.length < MOST_AT_TOP; ) {
    const element = elementAt(file, at);
    if (element === undefined) break;
    found.push(element);
    if (element.id === last || element.length === undefined) break;
    at = element.bodyAt + element.length;
  }
  return found;
}

function inside(file: FileBytes, element: Element | undefined): Element[] {
  if (element?.length === undefined) return [];
  return childrenOf(file, element.bodyAt, Math.min(file.size, element.bodyAt + element.length));
}

/** The unsigned integer of a child, of at most six bytes. */
function numberOf(file: FileBytes, parent: Element, id: number): number | undefined {
  const child = inside(file, parent).find((one) => one.id === id);
  if (child?.length === undefined || child.length === 0 || child.length > 6) return undefined;
  const bytes = file.read(child.bodyAt, child.length);
  return bytes.length === child.length ? bytes.readUIntBE(0, child.length) : undefined;
}

interface Element {
  readonly id: number;
  readonly bodyAt: number;
  /** Undefined: unknown; ends at the first element that cannot be its child. */
  readonly length: number | undefined;
}

/** RFC 8794 §4 and §5: the first byte of a variable-length integer gives its length. */
function elementAt(file: FileBytes, at: number): Element | undefined {
  const head = file.read(at, 12);
  const idBytes = Math.clz32(head[0] ?? 0) - 23;
  const first = head[idBytes] ?? 0;
  const sizeBytes = Math.clz32(first) - 23;
  if (idBytes > 4 || sizeBytes > 8 || head.length < idBytes + sizeBytes) return undefined;
  let length = first & (0xff >> sizeBytes);
  let isUnknown = length === 0xff >> sizeBytes;
  for (const byte of head.subarray(idBytes + 1, idBytes + sizeBytes)) {
    length = length * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return {
    id: head.readUIntBE(0, idBytes),
    bodyAt: at + idBytes + sizeBytes,
    length: isUnknown ? undefined : length,
  };
}

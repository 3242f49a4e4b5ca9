/** Matroska and WebM (RFC 9559): the segment and each cluster hold their length, unless they were written live. */
import { ascii, type Container, type Format, named } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const MOST_ELEMENTS = 400_000;

/** The EBML header, with the DocType, is short. */
const DOC_TYPE_WITHIN = 256;

export const matroska: Container = { demuxers: ['matroska', 'webm'], recognize, findTruncation };

/** EBML header (RFC 8794, 11.2): the DocType distinguishes WebM from Matroska. */
function recognize(head: Buffer): Format | undefined {
  if (head.length < 4 || head.readUInt32BE(0) !== EBML) return undefined;
  for (let at = 4; at < Math.min(head.length - 3, DOC_TYPE_WITHIN); at++) {
    if (head[at] !== 0x42 || head[at + 1] !== 0x82) continue;
    const size = (head[at + 2] ?? 0) & 0x7f;
    const docType = ascii(head, at + 3, Math.min(size, 16)).split('\0', 1)[0];
    if (docType === 'webm') return { container: 'webm', demuxer: 'matroska', docType };
    if (docType === 'matroska') return { container: 'mkv', demuxer: 'matroska', docType };
  }
  return named('ebml');
}

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

/** The segments of a recording as one FLV byte stream, read and joined in constant memory. */
import { WireError } from '../bytes/wire-error.js';
import { FlvFileReader } from '../media/flv/file-reader.js';
import type { Log } from '../ports/index.js';
import { FlvJoiner } from './flv-joiner.js';

/** The settings changed in a way that a copy cannot represent. */
export class NeedsEncodingError extends Error {
  override readonly name = 'NeedsEncodingError';
  readonly code = 'NEEDS_ENCODING';
}

export interface Segment {
  readonly name: string;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

export interface JoinOptions {
  /** In order of recording. */
  readonly segments: readonly Segment[];
  /** For stream copy without decoding: throws NeedsEncodingError where that is impossible. */
  readonly copy: boolean;
  readonly log: Log;
  /** May be passed in, to inspect its findings. */
  readonly joiner?: FlvJoiner;
}

export async function* joinedStream(options: JoinOptions): AsyncGenerator<Uint8Array> {
  const joiner = options.joiner ?? new FlvJoiner();
  let before: string | undefined;
  for (const { name, open } of options.segments) {
    joiner.nextSegment(continues(name, before));
    before = name;
    const reader = new FlvFileReader(joiner);
    for await (const chunk of await open()) {
      const whole = push(reader, chunk, options.log);
      // The end of its last tag reads as zeros.
      if (!whole) joiner.dropLast();
      if (options.copy && joiner.findings.needsEncoding) {
        throw new NeedsEncodingError('the settings changed during the recording');
      }
      const pieces = joiner.take();
      if (pieces.length > 0) yield Buffer.concat(pieces);
      if (!whole) {
        before = undefined;
        break;
      }
    }
  }
}

/** False when the rest of the segment is unreadable: a power loss can leave a hole in it. */
function push(reader: FlvFileReader, chunk: Uint8Array, log: Log): boolean {
  try {
    reader.push(chunk);
    return true;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    log.warn({ error }, 'damaged recording segment; skipping the rest of it');
    return false;
  }
}

/**
 * Segment names sort by the start of their connection, then by part. The stream of one connection may be cut into parts,
 * so that each part can be uploaded to object storage while the connection continues.
 */
const NAME = /^(\d{13}-\d{6})-(\d{4})\.flv$/;

export function segmentName(startMs: number, number: number, part: number): string {
  return `${digits(startMs, 13)}-${digits(number, 6)}-${digits(part, 4)}.flv`;
}

export function isSegmentName(name: string): boolean {
  return NAME.test(name);
}

/** Whether `name` directly continues `before`, so that the clock goes on. */
export function continues(name: string, before: string | undefined): boolean {
  const [, connection, part] = NAME.exec(name) ?? [];
  const [, connectionBefore, partBefore] = NAME.exec(before ?? '') ?? [];
  return connection !== undefined && connection === connectionBefore && Number(part) === Number(partBefore) + 1;
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

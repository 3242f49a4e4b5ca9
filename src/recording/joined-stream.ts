/** The segments of a recording as one FLV byte stream, read and joined in constant memory. */
import { WireError } from '../bytes/wire-error.js';
import { FlvFileReader } from '../media/flv/file-reader.js';
import type { Log } from '../ports/index.js';
import { FlvJoiner } from './flv-joiner.js';
import { continues } from './segment-name.js';

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

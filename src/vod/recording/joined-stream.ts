/** The segments of a recording as one FLV stream of bytes, read and joined in constant memory. */
import type { Readable } from 'node:stream';
import { WireError } from '../../bytes/wire-error.js';
import { FlvFileReader } from '../../media/flv/file-reader.js';
import type { Log } from '../../ports/index.js';
import { FlvJoiner } from './flv-joiner.js';
import { continues } from './segment-name.js';

/** A change of settings that a copy cannot carry was met. */
export class NeedsEncodingError extends Error {
  override readonly name = 'NeedsEncodingError';
  readonly code = 'NEEDS_ENCODING';
}

export interface Segment {
  readonly name: string;
  readonly open: () => Promise<Readable>;
}

export interface JoinOptions {
  /** In order. */
  readonly segments: readonly Segment[];
  /** The bytes are only copied, not decoded: throws NeedsEncodingError where that cannot work. */
  readonly copy: boolean;
  readonly log: Log;
  /** Another may be given, to look into. */
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
      const whole = push(reader, chunk as Uint8Array, options.log);
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

/** False when the segment cannot be read further: a loss of power can leave a hole in it. */
function push(reader: FlvFileReader, chunk: Uint8Array, log: Log): boolean {
  try {
    reader.push(chunk);
    return true;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    log.warn({ error }, 'a segment of a recording is damaged; what follows in it is left out');
    return false;
  }
}

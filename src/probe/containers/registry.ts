/**
 * The containers; each file holds recognition and truncation check of one. To add a container, write its file and list it here.
 * ffmpeg is forced to the demuxer found by content and never guesses: a playlist, a concat script or an image pattern
 * inside a file named .mp4 is treated as data.
 */
import { adts } from './adts.js';
import { asf } from './asf.js';
import { bySignature } from './by-signature.js';
import { type Container, type Format, type OpenEnd, SNIFF_BYTES, UNKNOWN } from './container.js';
import { dv } from './dv.js';
import { withFile } from './file-bytes.js';
import { gif } from './gif.js';
import { isoMedia } from './iso-bmff.js';
import { matroska } from './matroska.js';
import { programStream } from './mpeg-ps.js';
import { transportStream } from './mpeg-ts.js';
import { nsv } from './nsv.js';
import { ogg } from './ogg.js';
import { riff } from './riff.js';

/** In order of how distinctive their signatures are. */
const CONTAINERS: readonly Container[] = [
  isoMedia,
  matroska,
  riff,
  asf,
  ogg,
  gif,
  nsv,
  dv,
  adts,
  bySignature,
  transportStream,
  programStream,
];

/** The only demuxers that `validate` lets ffmpeg use. */
export const DEMUXERS: readonly string[] = [...new Set(CONTAINERS.flatMap(({ demuxers }) => demuxers))];

/** The format of a file, from its first `SNIFF_BYTES`. */
export function sniff(head: Uint8Array): Format {
  return recognized(Buffer.from(head.buffer, head.byteOffset, head.byteLength))?.format ?? UNKNOWN;
}

function recognized(head: Buffer): { readonly container: Container; readonly format: Format } | undefined {
  for (const container of CONTAINERS) {
    const format = container.recognize(head);
    if (format !== undefined) return { container, format };
  }
  return undefined;
}

/**
 * The missing part of a truncated file according to its container's own lengths; ffmpeg reads most truncated files
 * without an error. An `OpenEnd` needs decoding. Undefined: no truncation detected.
 */
export function findTruncation(path: string): string | OpenEnd | undefined {
  return withFile(path, (file) => recognized(file.read(0, SNIFF_BYTES))?.container.findTruncation?.(file));
}

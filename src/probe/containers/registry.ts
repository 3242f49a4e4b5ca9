/**
 * The containers, each recognized and checked for wholeness in its own file. To add one, write its file and list it here.
 * ffmpeg is forced to the demuxer that is named by content and never guesses: a playlist, a concat script or an image
 * pattern inside a file named .mp4 is data, not something to open.
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
import { ogg } from './ogg.js';
import { riff } from './riff.js';

/** Those that cannot be mistaken first. */
const CONTAINERS: readonly Container[] = [
  isoMedia,
  matroska,
  riff,
  asf,
  ogg,
  gif,
  dv,
  adts,
  bySignature,
  transportStream,
  programStream,
];

/** The only demuxers with which `validate` lets ffmpeg open a file. */
export const DEMUXERS: readonly string[] = [...new Set(CONTAINERS.flatMap(({ demuxers }) => demuxers))];

/** Which container a file is, by its first `SNIFF_BYTES`. */
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
 * What is missing of a file that was cut off, by what its container says of itself: ffmpeg reads most of them to where they
 * end and reports nothing. An `OpenEnd` has to be decoded. Undefined when nothing is known to be missing.
 */
export function findCut(path: string): string | OpenEnd | undefined {
  return withFile(path, (file) => recognized(file.read(0, SNIFF_BYTES))?.container.findCut?.(file));
}

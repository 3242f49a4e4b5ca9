/**
 * The containers; each file holds the truncation check of one, `containers/formats.ts` how it is recognized. To add a container,
 * write its file and list it in both.
 * ffmpeg is forced to the demuxer found by content and never guesses: a playlist, a concat script or an image pattern
 * inside a file named .mp4 is treated as data.
 */
import { type Family, recognized, SNIFF_BYTES } from '../../containers/formats.js';
import { adts } from './adts.js';
import { asf } from './asf.js';
import type { Container, OpenEnd } from './container.js';
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

const CONTAINERS: Readonly<Record<Family, Container>> = {
  iso: isoMedia,
  matroska,
  riff,
  asf,
  ogg,
  gif,
  nsv,
  dv,
  adts,
  // Truncation cannot be detected here; FLV has its own reader for that.
  signature: { demuxers: ['flv', 'h264'] },
  ts: transportStream,
  ps: programStream,
};

/** The only demuxers that `validate` lets ffmpeg use. */
export const DEMUXERS: readonly string[] = [...new Set(Object.values(CONTAINERS).flatMap(({ demuxers }) => demuxers))];

/**
 * The missing part of a truncated file according to its container's own lengths; ffmpeg reads most truncated files
 * without an error. An `OpenEnd` needs decoding. Undefined: no truncation detected.
 */
export function findTruncation(path: string): string | OpenEnd | undefined {
  return withFile(path, (file) => {
    const found = recognized(file.read(0, SNIFF_BYTES));
    return found && CONTAINERS[found.family].findTruncation?.(file);
  });
}

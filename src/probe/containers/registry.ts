/**
 * Whether a file was cut off, by what its container says of itself: ffmpeg reads most of them to where they end and is content.
 * Raw H.264 says nothing of its length, so nothing can be known; FLV is read natively.
 */

import { isLastFrameBroken } from '../../cli/validate/cut-off.js';
import { cutOffAdts, isAdts } from './adts.js';
import { cutOffAsf, isAsf } from './asf.js';
import { cutOffDv, cutOffGif, isDv, isGif } from './dv.js';
import { type FileBytes, withFile } from './file-bytes.js';
import { cutOffIso, isIsoFile } from './iso-bmff.js';
import { cutOffMatroska, isMatroska } from './matroska.js';
import { cutOffProgramStream, isProgramStream } from './mpeg-ps.js';
import { cutOffTransportStream, isTransportStream, type OpenEnd } from './mpeg-ts.js';
import { cutOffOgg, isOgg } from './ogg.js';
import { cutOffAvi, isAvi } from './riff.js';

/** By their first bytes, those that cannot be mistaken first. */
const CONTAINERS: readonly {
  readonly is: (head: Buffer) => boolean;
  readonly cutOff: (file: FileBytes) => string | OpenEnd | undefined;
}[] = [
  { is: isMatroska, cutOff: cutOffMatroska },
  { is: isIsoFile, cutOff: cutOffIso },
  { is: isAsf, cutOff: cutOffAsf },
  { is: isAvi, cutOff: cutOffAvi },
  { is: isOgg, cutOff: cutOffOgg },
  { is: isGif, cutOff: cutOffGif },
  { is: isProgramStream, cutOff: cutOffProgramStream },
  { is: isDv, cutOff: cutOffDv },
  { is: isTransportStream, cutOff: cutOffTransportStream },
  { is: isAdts, cutOff: cutOffAdts },
];
const HEAD_BYTES = 4096;

/** What is missing, in words; undefined when nothing is known to be. */
export async function cutOff(path: string, ffmpeg: string): Promise<string | undefined> {
  const found = withFile(path, (file) => {
    const head = file.read(0, HEAD_BYTES);
    return CONTAINERS.find(({ is }) => is(head))?.cutOff(file);
  });
  if (found === undefined || typeof found === 'string') return found;
  return (await isLastFrameBroken(ffmpeg, found)) ? 'it was cut off in the middle of its last video frame' : undefined;
}

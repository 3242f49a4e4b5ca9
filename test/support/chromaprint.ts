/** Prints by the ffmpeg of this machine. */
import { spawnSync } from 'node:child_process';
import { type Print, parsePrint } from '../../src/copyright/prints.js';
import { SOUND_RATE } from './sounds.js';

const PRINT = ['-map', '0:a:0', '-ac', '1', '-ar', '11025', '-f', 'chromaprint', '-fp_format', 'raw', 'pipe:1'];
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1', '-i', 'pipe:0'];

function ffmpeg(args: readonly string[], input: Buffer): Buffer {
  const run = spawnSync('ffmpeg', ['-v', 'error', ...args], { input, maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(run.stderr.toString());
  return run.stdout;
}

/** The print of PCM of `test/support/sounds.ts`, after a filter of ffmpeg. */
export function printOf(pcm: Buffer, filter = 'anull'): Print {
  return parsePrint(ffmpeg([...PCM, '-af', filter, ...PRINT], pcm));
}

/** The print after a lossy codec. */
export function printAfter(pcm: Buffer, codec: readonly string[], filter = 'anull'): Print {
  const coded = ffmpeg([...PCM, '-af', filter, '-ac', '2', '-ar', '48000', ...codec, '-f', 'matroska', 'pipe:1'], pcm);
  return parsePrint(ffmpeg(['-f', 'matroska', '-i', 'pipe:0', ...PRINT], coded));
}

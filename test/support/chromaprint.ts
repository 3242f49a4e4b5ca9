/** Prints by the ffmpeg of this machine. */
import { spawnSync } from 'node:child_process';
import { type Print, parsePrint } from '../../src/copyright/prints.js';
import { SOUND_RATE } from './sounds.js';

const PRINT = ['-map', '0:a:0', '-ac', '1', '-ar', '11025', '-f', 'chromaprint', '-fp_format', 'raw', 'pipe:1'];
const pcmInput = (rate: number): string[] => ['-f', 's16le', '-ar', String(rate), '-ac', '1', '-i', 'pipe:0'];

function ffmpeg(args: readonly string[], input: Buffer): Buffer {
  const run = spawnSync('ffmpeg', ['-v', 'error', ...args], { input, maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(run.stderr.toString());
  return run.stdout;
}

/** The print of mono PCM, after a filter of ffmpeg. The rate is that of `test/support/sounds.ts` by default. */
export function printOf(pcm: Buffer, filter = 'anull', rate = SOUND_RATE): Print {
  return parsePrint(ffmpeg([...pcmInput(rate), '-af', filter, ...PRINT], pcm));
}

/** The print after a lossy codec. */
export function printAfter(pcm: Buffer, codec: readonly string[], filter = 'anull', rate = SOUND_RATE): Print {
  return printFrom(coded(pcm, codec, filter, rate), 0);
}

/** Sound after a lossy codec. */
export function coded(pcm: Buffer, codec: readonly string[], filter = 'anull', rate = SOUND_RATE): Buffer {
  const out = ['-ac', '2', '-ar', '48000', ...codec, '-f', 'matroska', 'pipe:1'];
  return ffmpeg([...pcmInput(rate), '-af', filter, ...out], pcm);
}

/** Of `coded`, from a time on. */
export function printFrom(sound: Buffer, fromMs: number): Print {
  return parsePrint(ffmpeg(['-f', 'matroska', '-i', 'pipe:0', '-af', `atrim=start=${fromMs / 1000}`, ...PRINT], sound));
}

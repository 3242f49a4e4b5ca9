/**
 * Streams that need no recording: one that breaks a rule on purpose, and the one that is mended. Their settings are those of
 * docs/tutorials/ffmpeg.md, which may follow in the same broadcast: others would be 6403.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CliError, EXIT, messageOf } from '../console/exit.js';

/** Frames between two key frames at 30 frames per second: 8 s, where the specification allows 4 s, and 2 s. */
export const SAMPLES = { 'sample:broken': 240, 'sample:clean': 60 } as const;

type SampleName = keyof typeof SAMPLES;

const SECONDS = 20;
const KBPS = 700;

export function isSample(argument: string): argument is SampleName {
  return Object.hasOwn(SAMPLES, argument);
}

/** The name and the path of the sample, made in `folder` by ffmpeg, also by the one of the npm package. @throws CliError */
export async function makeSample(
  name: SampleName,
  ffmpeg: string,
  folder: string,
): Promise<readonly [SampleName, string]> {
  const path = join(folder, `${SAMPLES[name]}.flv`);
  const args = [
    '-v error -f lavfi -i testsrc2=size=640x360:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000',
    `-t ${SECONDS} -c:v libx264 -preset ultrafast -pix_fmt yuv420p -x264-params nal-hrd=cbr -g ${SAMPLES[name]} -sc_threshold 0`,
    `-b:v ${KBPS}k -minrate ${KBPS}k -maxrate ${KBPS}k -bufsize ${KBPS}k -c:a aac -b:a 128k -ar 48000 -ac 2 -f flv`,
  ].flatMap((part) => part.split(' '));
  try {
    await promisify(execFile)(ffmpeg, [...args, path]);
  } catch (error) {
    throw new CliError(`${name} cannot be made with ffmpeg: ${messageOf(error)}`, EXIT.usage);
  }
  return [name, path];
}

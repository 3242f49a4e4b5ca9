/**
 * Whether a file is truncated. For a transport stream that ends at a packet boundary only a decoder can tell: the last frame
 * is incomplete when ffmpeg reports more errors with it than without it.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { LAST_FRAME_CUT } from '../../check/container-check.js';
import { codeOf } from '../../lib/errors.js';
import type { OpenEnd } from '../../probe/containers/container.js';
import { findTruncation } from '../../probe/containers/registry.js';
import { GUARD } from '../remux/remux.js';

/** The missing part of a file; undefined when no truncation is detected. @throws Error when ffmpeg does not run */
export async function cutOff(path: string, ffmpeg: string): Promise<string | undefined> {
  const found = findTruncation(path);
  if (found === undefined || typeof found === 'string') return found;
  return (await isLastFrameBroken(ffmpeg, found)) ? LAST_FRAME_CUT : undefined;
}

/** Whether the last frame of a transport stream is complete; undefined: ffmpeg does not run. */
export async function isLastFrameWhole(path: string, ffmpeg: string): Promise<boolean | undefined> {
  try {
    return (await cutOff(path, ffmpeg)) === undefined;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

async function isLastFrameBroken(ffmpeg: string, { pid, tail, tailBefore }: OpenEnd): Promise<boolean> {
  const before = await errorLines(ffmpeg, pid, tailBefore);
  return (await errorLines(ffmpeg, pid, tail)) > before;
}

/** Number of error lines of the decoder. Missing references of the first frames are counted in both runs. */
function errorLines(ffmpeg: string, pid: number, packets: Buffer): Promise<number> {
  const input = [...GUARD, '-f', 'mpegts', '-i', 'pipe:0'];
  const what = ['-map', `0:i:${pid}`, '-f', 'null', '-'];
  const child = spawn(ffmpeg, ['-hide_banner', '-threads', '1', '-loglevel', 'repeat+error', ...input, ...what], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let lines = 0;
  createInterface({ input: child.stderr }).on('line', () => lines++);
  // ffmpeg may exit before it has read all input.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(packets);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(lines));
  });
}

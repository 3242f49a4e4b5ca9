/**
 * Whether a file was cut off. Of a transport stream that ends behind a whole packet only a decoder can tell: its last frame is
 * broken when ffmpeg reports more errors with it than without it.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { OpenEnd } from '../../probe/containers/container.js';
import { findCut } from '../../probe/containers/registry.js';
import { GUARD } from '../remux/remux.js';

/** What is missing, as a sentence; undefined when nothing is known to be. @throws Error when ffmpeg does not run */
export async function cutOff(path: string, ffmpeg: string): Promise<string | undefined> {
  const found = findCut(path);
  if (found === undefined || typeof found === 'string') return found;
  return (await isLastFrameBroken(ffmpeg, found)) ? 'it was cut off in the middle of its last video frame' : undefined;
}

async function isLastFrameBroken(ffmpeg: string, { pid, tail, tailBefore }: OpenEnd): Promise<boolean> {
  const before = await complaints(ffmpeg, pid, tailBefore);
  return (await complaints(ffmpeg, pid, tail)) > before;
}

/** How many lines the decoder says. The first frames may miss those that they refer to, which is said both times. */
function complaints(ffmpeg: string, pid: number, packets: Buffer): Promise<number> {
  const input = [...GUARD, '-f', 'mpegts', '-i', 'pipe:0'];
  const what = ['-map', `0:i:${pid}`, '-f', 'null', '-'];
  const child = spawn(ffmpeg, ['-hide_banner', '-threads', '1', '-loglevel', 'repeat+error', ...input, ...what], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let lines = 0;
  createInterface({ input: child.stderr }).on('line', () => lines++);
  // It may give up before it has read all.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(packets);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(lines));
  });
}

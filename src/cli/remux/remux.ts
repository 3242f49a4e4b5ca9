/**
 * Other containers as FLV: ffmpeg moves the packets over, nothing is encoded again. The file is opened by one of the demuxers
 * of the known containers and by nothing else, so that no playlist makes ffmpeg open another file or host.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { DEMUXERS } from '../../probe/containers/registry.js';

/** Flags that every call on a foreign file has. */
export const GUARD = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(',')] as const;

export interface FileTrack {
  readonly index: number;
  readonly kind: 'video' | 'audio';
  readonly codec: string;
  /** As ffprobe names it, having decoded some of it. */
  readonly profile: string;
  /** What ffprobe knows of it besides: its long name, rate and channels, in words. */
  readonly details: string;
}

/** Codecs that the rules read in detail and FLV can hold whatever their settings; others are shown by name alone. */
export const isReadable = (track: FileTrack): boolean => track.codec === 'h264' || track.codec === 'aac';

export interface Remux {
  readonly output: Readable;
  /** Resolves with what ffmpeg said when it did not end well, undefined when it did. */
  readonly ended: Promise<string | undefined>;
  /** When it has ended: a packet was not whole. ffmpeg goes on behind it, and ends well where a file was cut off. */
  readonly isDamaged: () => boolean;
  kill(): void;
}

/** What is said of a packet that is not whole: by any demuxer, by ffmpeg itself, of mov and mp4, of Matroska. */
const DAMAGE = /\bPacket corrupt\b|\bcorrupt input packet\b|\bpartial file\b|\bFile ended prematurely\b/;
export const DAMAGED = 'it was cut off or is damaged: ffmpeg found a packet that is not whole';

/** ffmpeg counts decode times for frames that have none, but FLV wants to know when they are shown as well. */
const SHOWN_AS_DECODED = 'setts=pts=DTS';

/** Without `tracks`, the first of each kind. `isRaw` (ffmpeg 4.4 and later): the frames have no times. */
export function remuxToFlv(
  ffmpeg: string,
  file: string,
  tracks: readonly FileTrack[],
  options: { readonly isRaw?: boolean } = {},
): Remux {
  const chosen = tracks.length > 0 ? tracks.map((track) => `0:${track.index}`) : ['0:v:0?', '0:a:0?'];
  const maps = chosen.flatMap((map) => ['-map', map]);
  const child = spawn(
    ffmpeg,
    [
      '-nostdin',
      '-hide_banner',
      '-loglevel',
      'level+warning',
      '-fflags',
      '+genpts',
      ...GUARD,
      '-i',
      `file:${file}`,
      ...maps,
      '-c',
      'copy',
      ...(options.isRaw === true ? ['-bsf:v', SHOWN_AS_DECODED] : []),
      '-f',
      'flv',
      '-flvflags',
      'no_duration_filesize',
      'pipe:1',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return watched(child);
}

/** Reads what ffmpeg says, each line with its level. */
function watched(child: ChildProcessByStdio<null, Readable, Readable>): Remux {
  let damaged = false;
  let said = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    damaged ||= DAMAGE.test(line);
    if (!line.includes('[warning]') && said.length < MESSAGE_BYTES)
      said += `${line.replace(/\[(error|fatal)\] /, '')}\n`;
  });
  const ended = new Promise<string | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0 ? undefined : said.trim() || `ended with ${code}`));
  });
  return { output: child.stdout, ended, isDamaged: () => damaged, kill: () => void child.kill('SIGKILL') };
}

/** Whether a file that can be opened has a packet that is not whole. Reads all of it; what else is wrong with it is not said. */
export async function isDamaged(ffmpeg: string, file: string): Promise<boolean> {
  const what = ['-map', '0:v?', '-map', '0:a?', '-c', 'copy', '-f', 'null', 'pipe:1'];
  const args = ['-nostdin', '-hide_banner', '-loglevel', 'level+warning', ...GUARD, '-i', `file:${file}`, ...what];
  const run = watched(spawn(ffmpeg, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  run.output.resume();
  await run.ended;
  return run.isDamaged();
}

const LATM_FRAMES = 64;

/** The first packets of an AAC track as LOAS frames, one after the other. */
export async function loasFrames(ffmpeg: string, file: string, track: FileTrack): Promise<Uint8Array> {
  const frames = String(LATM_FRAMES);
  const what = ['-map', `0:${track.index}`, '-c', 'copy', '-frames:a', frames, '-f', 'data', 'pipe:1'];
  const child = spawn(ffmpeg, ['-nostdin', '-loglevel', 'error', ...GUARD, '-i', `file:${file}`, ...what], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [bytes] = await Promise.all([readAll(child.stdout), outcome(child)]);
  return bytes;
}

export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const MESSAGE_BYTES = 2000;

export function outcome(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string | undefined> {
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    if (said.length < MESSAGE_BYTES) said += bytes.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0 ? undefined : said.trim() || `ended with ${code}`));
  });
}

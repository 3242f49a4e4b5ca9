/**
 * Remuxes other containers to FLV with ffmpeg, without transcoding. Only the demuxers of the supported containers are
 * allowed, so that no playlist can make ffmpeg open another file or host.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { FileTrack } from '../../containers/source/media-file.js';
import { DEMUXERS } from '../../probe/containers/registry.js';
import { WHOLE_TRACKS } from '../../probe/ffprobe.js';

/** Flags of every ffmpeg and ffprobe call on an untrusted file. */
export const GUARD = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(',')] as const;

export interface Remux {
  readonly output: Readable;
  /** Resolves with ffmpeg's error output when it failed, else with undefined. */
  readonly ended: Promise<string | undefined>;
  /** Valid after `ended`: ffmpeg reported a corrupt packet. It continues after one and exits with 0 for truncated files. */
  readonly isDamaged: () => boolean;
  kill(): void;
}

/** Messages about incomplete packets: of any demuxer, of ffmpeg itself, of mov and mp4, of Matroska. */
const DAMAGE = /\bPacket corrupt\b|\bcorrupt input packet\b|\bpartial file\b|\bFile ended prematurely\b/;
export const DAMAGED = 'truncated or damaged file: ffmpeg found a corrupt packet';

/** ffmpeg generates decode times for frames without any, but FLV also needs presentation times. */
const PTS_FROM_DTS = 'setts=pts=DTS';

/** Empty `tracks` selects the first of each kind. `isRaw` (ffmpeg 4.4 and later): the frames have no times. `isEdited`: as in `FileShape`. */
export function remuxToFlv(
  ffmpeg: string,
  file: string,
  tracks: readonly FileTrack[],
  options: { readonly isRaw?: boolean; readonly isEdited?: boolean | undefined } = {},
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
      ...(options.isEdited === true ? WHOLE_TRACKS : []),
      '-i',
      `file:${file}`,
      ...maps,
      '-c',
      'copy',
      ...(options.isRaw === true ? ['-bsf:v', PTS_FROM_DTS] : []),
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

/** Parses ffmpeg's messages, each line with its level. */
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

/** Whether a file that can be opened contains a corrupt packet. Reads the whole file and ignores other errors. */
export async function isDamaged(ffmpeg: string, file: string): Promise<boolean> {
  const what = ['-map', '0:v?', '-map', '0:a?', '-c', 'copy', '-f', 'null', 'pipe:1'];
  const args = ['-nostdin', '-hide_banner', '-loglevel', 'level+warning', ...GUARD, '-i', `file:${file}`, ...what];
  const run = watched(spawn(ffmpeg, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  run.output.resume();
  await run.ended;
  return run.isDamaged();
}

const LATM_FRAMES = 64;

/** The first packets of an AAC track as consecutive LOAS frames. */
export async function loasFrames(ffmpeg: string, file: string, track: FileTrack): Promise<Uint8Array> {
  const frames = String(LATM_FRAMES);
  const what = ['-map', `0:${track.index}`, '-c', 'copy', '-frames:a', frames, '-f', 'data', 'pipe:1'];
  const child = spawn(ffmpeg, ['-nostdin', '-loglevel', 'error', ...GUARD, '-i', `file:${file}`, ...what], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [bytes] = await Promise.all([readAll(child.stdout), outcome(child)]);
  return bytes;
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const MESSAGE_BYTES = 2000;

function outcome(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string | undefined> {
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    if (said.length < MESSAGE_BYTES) said += bytes.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0 ? undefined : said.trim() || `ended with ${code}`));
  });
}

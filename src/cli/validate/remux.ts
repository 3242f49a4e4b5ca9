/**
 * Other containers as FLV: ffmpeg moves the packets over, nothing is encoded again. The file is opened by one of the demuxers
 * of the upload specification's containers and by nothing else, so that no playlist makes ffmpeg open another file or host.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { DEMUXERS_OF_CONTAINER } from '../../spec/upload.js';

/** ffmpeg knows a demuxer by several names; one of them is enough for its allow-list. */
export const DEMUXERS = [...new Set([...Object.values(DEMUXERS_OF_CONTAINER).flat(), 'webm', 'aac', 'h264'])];

/** Flags that every call on a foreign file has. */
export const GUARD = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(',')] as const;

export interface FileTrack {
  readonly index: number;
  readonly kind: 'video' | 'audio';
  readonly codec: string;
  readonly tag: string;
}

/** Codecs that the rules read in detail and FLV can hold whatever their settings; others are shown by name alone. */
export const isReadable = (track: FileTrack): boolean => track.codec === 'h264' || track.codec === 'aac';

export interface Remux {
  readonly output: Readable;
  /** Resolves with what ffmpeg said when it did not end well, undefined when it did. */
  readonly ended: Promise<string | undefined>;
  kill(): void;
}

/** Without `tracks`, the first of each kind. */
export function remuxToFlv(ffmpeg: string, file: string, tracks: readonly FileTrack[]): Remux {
  const chosen = tracks.length > 0 ? tracks.map((track) => `0:${track.index}`) : ['0:v:0?', '0:a:0?'];
  const maps = chosen.flatMap((map) => ['-map', map]);
  const child = spawn(
    ffmpeg,
    [
      '-nostdin',
      '-hide_banner',
      '-loglevel',
      'error',
      '-fflags',
      '+genpts',
      ...GUARD,
      '-i',
      `file:${file}`,
      ...maps,
      '-c',
      'copy',
      '-f',
      'flv',
      '-flvflags',
      'no_duration_filesize',
      'pipe:1',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return { output: child.stdout, ended: outcome(child), kill: () => void child.kill('SIGKILL') };
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

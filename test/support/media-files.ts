/** Tiny real files, made by the ffmpeg of the machine; those of generated pictures and sound once, into a cache. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';

const CACHE = join(import.meta.dirname, '..', '..', 'fixtures', '.cache', 'media');

export interface MediaFile {
  readonly size?: string;
  readonly seconds?: number;
  readonly rate?: number;
  readonly video?: readonly string[] | null;
  readonly audio?: readonly string[] | null;
  /** `aevalsrc` channels by layout. */
  readonly layout?: string;
  readonly sampleRate?: number;
  /** Before the output's name. */
  readonly options?: readonly string[];
}

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30'];
const AAC = ['-c:a', 'aac', '-b:a', '96k'];

/** Makes the file at `path`; the container follows from its name unless `options` has `-f`. */
export function makeMedia(path: string, file: MediaFile = {}): string {
  const { size = '320x180', seconds = 2, rate = 30, layout = 'stereo', sampleRate = 48_000 } = file;
  const video = file.video === null ? [] : ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`];
  const audio =
    file.audio === null ? [] : ['-f', 'lavfi', '-i', `anullsrc=channel_layout=${layout}:sample_rate=${sampleRate}`];
  const codecs = [
    ...(file.video === null ? [] : (file.video ?? H264)),
    ...(file.audio === null ? [] : (file.audio ?? AAC)),
  ];
  runFfmpeg([...video, ...audio, '-t', String(seconds), ...codecs, ...(file.options ?? []), path]);
  return path;
}

/** The last argument is the file to make. */
export function runFfmpeg(args: readonly string[]): void {
  const path = args.at(-1) ?? '';
  const kept = isGenerated(args) ? keptPath(args.slice(0, -1), path) : undefined;
  if (kept !== undefined && existsSync(kept)) {
    copyFileSync(kept, path);
    return;
  }
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (kept !== undefined && existsSync(path)) keep(path, kept);
}

/** Reads no file that may differ the next time. */
function isGenerated(args: readonly string[]): boolean {
  return args.every((arg, i) => arg !== '-i' || (args[i - 2] === '-f' && args[i - 1] === 'lavfi'));
}

function keptPath(recipe: readonly string[], path: string): string {
  const hash = createHash('sha256').update(JSON.stringify(recipe)).digest('hex');
  return join(CACHE, `${hash.slice(0, 16)}${extname(path)}`);
}

/** Whole or not at all, since several test processes may make the same file. */
function keep(path: string, kept: string): void {
  mkdirSync(CACHE, { recursive: true });
  const draft = `${kept}.${process.pid}`;
  copyFileSync(path, draft, constants.COPYFILE_FICLONE);
  renameSync(draft, kept);
}

export interface Probed {
  readonly format: { readonly duration: string; readonly format_name: string };
  readonly streams: readonly {
    readonly codec_type: string;
    readonly codec_name: string;
    readonly duration: string;
    readonly nb_read_frames?: string;
    readonly nb_read_packets?: string;
    readonly width?: number;
    readonly height?: number;
  }[];
}

/** ffprobe's own word, with frames decoded and counted. */
export function ffprobe(path: string, options: readonly string[] = ['-count_packets']): Probed {
  const args = ['-v', 'error', ...options, '-show_format', '-show_streams', '-of', 'json', path];
  return JSON.parse(execFileSync('ffprobe', args, { maxBuffer: 1 << 26 }).toString());
}

/** The same without stopping this process, for an address that this process serves. */
export async function ffprobeUrl(url: string): Promise<Probed> {
  const args = ['-v', 'error', '-count_packets', '-show_format', '-show_streams', '-of', 'json', url];
  const { stdout } = await promisify(execFile)('ffprobe', args, { maxBuffer: 1 << 26, timeout: 20_000 });
  return JSON.parse(stdout);
}

/** Asks again and again without keeping a processor busy, so that ffmpeg has it; the test's own time limit ends it. */
export async function eventually(question: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await question())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
}

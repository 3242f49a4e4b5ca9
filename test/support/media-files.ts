/** Tiny real files, made by the ffmpeg of the machine. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

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

export function runFfmpeg(args: readonly string[]): void {
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
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

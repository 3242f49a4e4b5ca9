/** Real ffmpeg, publishing over TLS with the certificate checked. */
import { spawn } from 'node:child_process';

export interface FfmpegRun {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs ffmpeg to its end. */
export function ffmpeg(args: readonly string[], timeoutMs = 120_000): Promise<FfmpegRun> {
  return start(args, timeoutMs).done;
}

export function start(
  args: readonly string[],
  timeoutMs = 120_000,
): { done: Promise<FfmpegRun>; stop: () => void; kill: () => void; signal: (name: NodeJS.Signals) => void } {
  const child = spawn('ffmpeg', ['-hide_banner', '-v', 'info', '-nostdin', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const done = new Promise<FfmpegRun>((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve({ code, stderr });
    });
  });
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return { done, stop: () => signal('SIGINT'), kill: () => signal('SIGKILL'), signal };
}

/** Whether it encoded in real time throughout: a busy machine makes it late, which the server then reports. */
export function keptUp({ stderr }: FfmpegRun): boolean {
  const speeds = [...stderr.matchAll(/speed=\s*([\d.]+)x/g)].map(([, speed]) => Number(speed));
  return (speeds.at(-1) ?? 0) > 0.98;
}

export interface SourceOptions {
  readonly size?: string;
  readonly rate?: number;
  readonly seconds?: number;
  readonly videoKbps?: number;
  readonly keyFrames?: number;
  readonly video?: readonly string[];
  readonly audio?: readonly string[];
  readonly realTime?: boolean;
}

/** A test picture and tone; by default exactly what the specification asks for at 720p30. */
export function source(options: SourceOptions = {}): string[] {
  const { size = '1280x720', rate = 30, seconds = 10, videoKbps = 2500 } = options;
  const bitrate = `${videoKbps}k`;
  const duration = ['-t', String(seconds)];
  return [
    ...(options.realTime === false ? [] : ['-re']),
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`],
    ...(options.realTime === false ? [] : ['-re']),
    ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'],
    ...duration,
    ...(options.video ?? [
      ...[
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
        '-tune',
        'zerolatency',
        '-profile:v',
        'main',
        '-pix_fmt',
        'yuv420p',
      ],
      ...[
        '-x264-params',
        'nal-hrd=cbr',
        '-b:v',
        bitrate,
        '-minrate',
        bitrate,
        '-maxrate',
        bitrate,
        '-bufsize',
        bitrate,
      ],
      ...['-g', String(options.keyFrames ?? rate * 2), '-keyint_min', '1', '-sc_threshold', '0'],
    ]),
    ...(options.audio ?? ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000']),
  ];
}

/** Where to, with the server's authority checked. */
export function over(url: string, authorityFile: string): string[] {
  return ['-f', 'flv', '-tls_verify', '1', '-ca_file', authorityFile, url];
}

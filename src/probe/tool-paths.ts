/** Locates ffmpeg and ffprobe: the configured path, else the PATH, else the binaries of the npm packages. */
import { createRequire } from 'node:module';
import { executableOn, isExecutable } from './cage/system-folders.js';

export interface ToolPaths {
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

export interface ToolSettings {
  readonly ffmpegPath?: string | undefined;
  readonly ffprobePath?: string | undefined;
}

/** A missing tool keeps its bare name; the run that needs it then fails. */
export function findTools(settings: ToolSettings, path = process.env.PATH ?? ''): ToolPaths {
  return {
    ffmpeg: settings.ffmpegPath ?? executableOn(path, 'ffmpeg') ?? packaged('@ffmpeg-installer/ffmpeg') ?? 'ffmpeg',
    ffprobe: settings.ffprobePath ?? executableOn(path, 'ffprobe') ?? packaged('ffprobe-static') ?? 'ffprobe',
  };
}

/** Both packages export `path`, and throw on platforms for which they have no binary. */
function packaged(name: '@ffmpeg-installer/ffmpeg' | 'ffprobe-static'): string | undefined {
  try {
    const { path }: { path?: unknown } = createRequire(import.meta.url)(name);
    return typeof path === 'string' && isExecutable(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

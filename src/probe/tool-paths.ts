/** Locates ffmpeg and ffprobe: the configured path, else the PATH, else the binaries of the npm packages. */
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

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
    ffmpeg: settings.ffmpegPath ?? onPath('ffmpeg', path) ?? packaged('@ffmpeg-installer/ffmpeg') ?? 'ffmpeg',
    ffprobe: settings.ffprobePath ?? onPath('ffprobe', path) ?? packaged('ffprobe-static') ?? 'ffprobe',
  };
}

function onPath(name: string, path: string): string | undefined {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name + suffix))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
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

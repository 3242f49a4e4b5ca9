/**
 * Locates ffmpeg and ffprobe: the configured path, else the PATH, else the binaries of the npm packages. Those are years
 * old: they serve the quickstart and files of the user who runs them, and never open files that others send.
 */
import { createRequire } from 'node:module';
import { executableOn, isExecutable } from './cage/system-folders.js';

export interface ToolPaths {
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

export interface ToolSettings {
  readonly ffmpegPath?: string | undefined;
  readonly ffprobePath?: string | undefined;
  /** Others than the user of this machine can send files: the binaries of the npm packages are not used. */
  readonly servesOthers?: boolean | undefined;
}

const PACKAGES = { ffmpeg: '@ffmpeg-installer/ffmpeg', ffprobe: 'ffprobe-static' } as const;

/** A missing tool keeps its bare name; the run that needs it then fails. */
export function findTools(settings: ToolSettings, path = process.env.PATH ?? ''): ToolPaths {
  const find = (name: keyof ToolPaths) => installed(name, settings, path) ?? packaged(name, settings) ?? name;
  return { ffmpeg: find('ffmpeg'), ffprobe: find('ffprobe') };
}

/** Which tools are not installed, and why their bundled binaries are not used; undefined where they may be. */
export function missingTools(settings: ToolSettings, path = process.env.PATH ?? ''): string | undefined {
  const names = ['ffmpeg', 'ffprobe'] as const;
  const missing = names.filter((name) => installed(name, settings, path) === undefined);
  if (settings.servesOthers !== true || missing.length === 0) return undefined;
  return `${missing.join(' and ')} must be installed on the server: the bundled binaries are too old for files of others.`;
}

/** The names of the tools that are not there, or are no program. */
export function absentTools(settings: ToolSettings): readonly string[] {
  return Object.entries(findTools(settings)).flatMap(([name, path]) => (isExecutable(path) ? [] : [name]));
}

function installed(name: keyof ToolPaths, settings: ToolSettings, path: string): string | undefined {
  const configured = name === 'ffmpeg' ? settings.ffmpegPath : settings.ffprobePath;
  if (configured === undefined) return executableOn(path, name);
  return configured.includes('/') ? configured : (executableOn(path, configured) ?? configured);
}

/** Both packages export `path`, and throw on platforms for which they have no binary. */
function packaged(name: keyof ToolPaths, { servesOthers }: ToolSettings): string | undefined {
  if (servesOthers === true) return undefined;
  try {
    const { path }: { path?: unknown } = createRequire(import.meta.url)(PACKAGES[name]);
    return typeof path === 'string' && isExecutable(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves the file arguments of a command (names, folders, unexpanded patterns), and finds the tools that read the files. */
import { closeSync, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { codeOf, fileProblem, noSuchFile } from '../../lib/errors.js';
import { findTools, type ToolPaths } from '../../probe/tool-paths.js';
import { UPLOAD } from '../../spec/upload.js';
import { CliError } from '../console/exit.js';
import type { CliIo } from '../console/io.js';

/** Extensions of the files taken from a folder. */
const MEDIA_EXTENSIONS = new Set<string>([...UPLOAD.containers, 'webm']);

/** One file, or an argument that names no readable file. */
export interface FoundFile {
  /** Display name: relative paths stay relative. `-` is standard input. */
  readonly file: string;
  /** Why the file cannot be read. */
  readonly problem?: string;
}

/**
 * A folder expands to the media files in it and below it, sorted; a pattern (`*`, `?`, `**`) to the files that it matches.
 * Links to files are followed, links to folders are not.
 */
export function findFiles(args: readonly string[], cwd: string): FoundFile[] {
  const found = args.flatMap((arg) => {
    try {
      return named(arg, cwd);
    } catch (error) {
      return [{ file: arg, problem: fileProblem(error) }];
    }
  });
  return [...new Map(found.map((each) => [each.file, each])).values()];
}

/** Like `findFiles`, but all files are required. @throws CliError for an argument that names no readable file */
export function expandFiles(args: readonly string[], cwd: string): string[] {
  return findFiles(args, cwd).map(({ file, problem }) => {
    if (problem !== undefined) throw new CliError(`${file}: ${problem}`);
    return file;
  });
}

function named(arg: string, cwd: string): FoundFile[] {
  if (arg === '-') return [{ file: arg }];
  // An unset variable of a script: resolved, it is the current folder with all below it.
  if (arg === '') return [{ file: "''", problem: 'the file name is empty' }];
  const info = statSync(resolve(cwd, arg), { throwIfNoEntry: false });
  if (info?.isDirectory()) return inFolder(arg, cwd);
  if (info !== undefined) return [{ file: arg }];
  return /[*?]/.test(arg) ? matching(arg, cwd) : [{ file: arg, problem: noSuchFile(arg) }];
}

/** Checks the content: file names are unreliable. */
export function isFlv(path: string): boolean {
  const head = Buffer.alloc(3);
  const file = openSync(path, 'r');
  try {
    return readSync(file, head, 0, 3, 0) === 3 && head.toString('latin1') === 'FLV';
  } finally {
    closeSync(file);
  }
}

function inFolder(folder: string, cwd: string): FoundFile[] {
  const root = resolve(cwd, folder);
  const found = walk(root)
    .filter(({ file, problem }) => problem !== undefined || MEDIA_EXTENSIONS.has(extensionOf(file)))
    .map((each) => ({ ...each, file: join(folder, relative(root, each.file)) }));
  return found.length === 0 ? [{ file: folder, problem: 'no media files in this folder' }] : found;
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}

/** All files below a folder, sorted; for an unreadable folder, the problem. */
function walk(folder: string): FoundFile[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return [{ file: folder, problem: fileProblem(error) }];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() || (entry.isSymbolicLink() && leadsToFile(path)) ? [{ file: path }] : [];
    });
}

function leadsToFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return false;
  }
}

function matching(pattern: string, cwd: string): FoundFile[] {
  const parts = pattern.split(/[\\/]/);
  const firstWild = parts.findIndex((part) => /[*?]/.test(part));
  const base = parts.slice(0, firstWild).join(sep) || (isAbsolute(pattern) ? sep : '.');
  const root = resolve(cwd, base);
  const expression = patternExpression(parts.slice(firstWild));
  const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  const found = (isFolder ? walk(root) : [])
    .filter(({ problem }) => problem === undefined)
    .map(({ file }) => relative(root, file))
    .filter((path) => expression.test(path.split(sep).join('/')))
    .map((path) => ({ file: base === '.' ? path : join(base, path) }));
  return found.length === 0 ? [{ file: pattern, problem: 'no file matches the pattern' }] : found;
}

function patternExpression(parts: readonly string[]): RegExp {
  const source = parts
    .map((part, at) => {
      if (part === '**') return '(?:[^/]+/)*';
      const name = part
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '[^/]*')
        .replaceAll('?', '[^/]');
      return at < parts.length - 1 ? `${name}/` : name;
    })
    .join('');
  return new RegExp(`^${source}$`);
}

/** ffmpeg and ffprobe for commands that do not load the server settings. */
export function toolsOf(io: CliIo): ToolPaths {
  const { FFMPEG_PATH, FFPROBE_PATH, PATH } = io.env;
  return findTools({ ffmpegPath: FFMPEG_PATH || undefined, ffprobePath: FFPROBE_PATH || undefined }, PATH);
}

/** Which files a command line means: names, folders, and patterns that the shell left alone. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UPLOAD } from '../spec/upload.js';
import { CliError } from './exit.js';

/** What is taken from a folder. */
const MEDIA_EXTENSIONS = new Set<string>([...UPLOAD.containers, 'webm']);

/**
 * Paths as they are to be shown: relative ones stay relative. A folder means the media files in it and below it, sorted; a
 * pattern (`*`, `?`, `**`) the files that it matches. `-` stays. @throws CliError when an argument means nothing
 */
export function expandFiles(args: readonly string[], cwd: string): string[] {
  const files = args.flatMap((arg) => {
    if (arg === '-') return [arg];
    const info = statSync(resolve(cwd, arg), { throwIfNoEntry: false });
    if (info?.isDirectory()) return inFolder(arg, cwd);
    if (info === undefined && /[*?]/.test(arg)) return matching(arg, cwd);
    if (info === undefined) throw new CliError(`${arg}: there is no such file`);
    return [arg];
  });
  return [...new Set(files)];
}

/** By content: the name of a file says little. */
export function isFlv(path: string): boolean {
  const head = Buffer.alloc(3);
  const file = openSync(path, 'r');
  try {
    return readSync(file, head, 0, 3, 0) === 3 && head.toString('latin1') === 'FLV';
  } finally {
    closeSync(file);
  }
}

function inFolder(folder: string, cwd: string): string[] {
  const found = walk(resolve(cwd, folder))
    .filter((path) => MEDIA_EXTENSIONS.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase()))
    .map((path) => join(folder, relative(resolve(cwd, folder), path)));
  if (found.length === 0) throw new CliError(`${folder}: there is no media file in this folder`);
  return found;
}

function walk(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function matching(pattern: string, cwd: string): string[] {
  const parts = pattern.split(/[\\/]/);
  const firstWild = parts.findIndex((part) => /[*?]/.test(part));
  const base = parts.slice(0, firstWild).join(sep) || (isAbsolute(pattern) ? sep : '.');
  const root = resolve(cwd, base);
  const expression = patternExpression(parts.slice(firstWild));
  const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  const found = (isFolder ? walk(root) : [])
    .map((path) => relative(root, path))
    .filter((path) => expression.test(path.split(sep).join('/')))
    .map((path) => (base === '.' ? path : join(base, path)));
  if (found.length === 0) throw new CliError(`${pattern}: no file matches`);
  return found;
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

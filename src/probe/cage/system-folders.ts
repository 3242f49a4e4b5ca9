/** Programs of this system, and what a caged program sees of it: programs and libraries, read-only; no /proc, no home. */
import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';

const FOLDERS = [
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/local/lib',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/nix/store',
] as const;
/** The dynamic linker's cache and Debian's choice among equivalent libraries. */
const LINKER = ['/etc/ld.so.cache', '/etc/alternatives'] as const;
/** Shared libraries beside a program that was not installed by the system: `/opt/ffmpeg/{bin,lib}`. */
const BESIDE = join('..', 'lib');

/** Arguments of bwrap that mount the system. */
export function systemMounts(): string[] {
  const folders = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    lstatSync(folder).isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : readOnly(folder),
  );
  const devices = ['/dev/null', '/dev/urandom'].flatMap((path) => [...parents(path), '--dev-bind', path, path]);
  return [...folders, ...LINKER.filter((path) => existsSync(path)).flatMap(readOnly), ...devices];
}

/** The program without symbolic links, and what must be mounted for it. A missing program keeps its name. */
export function toolMounts(tool: string): { readonly path: string; readonly mounts: readonly string[] } {
  const path = realPath(tool);
  if (FOLDERS.some((folder) => path.startsWith(folder + sep)) || !existsSync(path)) return { path, mounts: [] };
  const libraries = join(dirname(path), BESIDE);
  return { path, mounts: [...readOnly(path), ...(existsSync(libraries) ? readOnly(libraries) : [])] };
}

const readOnly = (path: string): string[] => [...parents(path), '--ro-bind', path, path];

/** Created here for every user: the parents that bwrap creates itself can be entered by root only. */
function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === path || parent === '/' ? [] : [...parents(parent), '--dir', parent];
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The first program of this name on a PATH. */
export function executableOn(path: string, name: string): string | undefined {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name + suffix))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Codes and messages of unknown errors. */
import { isObject } from './objects.js';

/** The stable code of an error (`ENOENT`, `BAD_CONFIG`), or empty for an error without one. */
export function codeOf(error: unknown): string {
  return isObject(error) && 'code' in error ? String(error.code) : '';
}

export function isCode(error: unknown, code: string): boolean {
  return isObject(error) && 'code' in error && error.code === code;
}

/** Never empty: the error of a connection to several addresses has a code only. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || codeOf(error) || 'unknown error';
}

/** Reason of a failed file system call. @throws the error itself when it has no system code */
export function fileProblem(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ELOOP':
      return 'too many levels of symbolic links';
    case 'ENOENT':
      return noSuchFile(String((error as { path?: unknown }).path ?? ''));
    case 'ENOTDIR':
      return 'part of the path is not a folder';
    case 'EISDIR':
      return 'is a folder';
    case 'ENAMETOOLONG':
      return 'file name too long';
    case '':
      throw error;
    default:
      return String((error as { message?: unknown }).message);
  }
}

/** Node decodes a name that is not UTF-8 with replacement characters, so that it cannot be opened. */
export function noSuchFile(path: string): string {
  return path.includes('\u{fffd}') ? 'no such file; if the file name is not UTF-8, rename the file' : 'no such file';
}

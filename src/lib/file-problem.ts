/** Turns errors of the file system into reasons for users. */
import { codeOf } from './errors.js';

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

/** Exit codes, and how a fault is told: in one line that says what is wrong, never as a stack trace. */

import { codeOf } from '../../lib/errors.js';
import { isObject } from '../../lib/objects.js';

export const EXIT = {
  ok: 0,
  /** Errors were found, or expectations were not met. */
  errorsFound: 1,
  /** Wrong usage, or input that cannot be read. */
  usage: 2,
  /** The server could not be reached, or could not start. */
  unreachable: 3,
} as const;

/** Of a command that a signal ended before it was through, as shells count: 128 and the number of the signal. */
export const EXIT_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof EXIT_OF_SIGNAL;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | (typeof EXIT_OF_SIGNAL)[StopSignal];

/** A fault whose message is for the person at the terminal. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code = 'CLI_ERROR';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.usage, options?: { cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** By its code: a bundle has a class of its own. */
export function isCliError(error: unknown): error is CliError {
  return codeOf(error) === 'CLI_ERROR';
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'STORE_UNAVAILABLE',
  'STORE_FORMAT',
]);
const UNREADABLE = new Set([
  'ENOENT',
  'EISDIR',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'BAD_CONFIG',
  'BAD_CERTIFICATE',
  'BAD_BACKUP',
  'BACKUP_REFUSED',
]);

export function messageOf(error: unknown): string {
  return isObject(error) && 'message' in error ? String(error.message) : String(error);
}

export function exitCodeOf(error: unknown): ExitCode {
  if (isCliError(error)) return error.exitCode;
  const code = codeOf(error);
  if (UNREACHABLE.has(code)) return EXIT.unreachable;
  // A port that may not be opened is a fault of the machine; a file is what was named.
  const isFile = (code === 'EACCES' || code === 'EPERM') && !('port' in Object(error));
  return isFile || UNREADABLE.has(code) ? EXIT.usage : EXIT.errorsFound;
}

/** What to print behind `airlock: `. `settingOf` names the setting that a port comes from. */
export function explain(error: unknown, settingOf: (port: unknown) => string | undefined = () => undefined): string {
  const { port, address, path } = Object(error) as { port?: unknown; address?: unknown; path?: unknown };
  const setting = settingOf(port);
  const another = setting === undefined ? 'choose another one' : `set ${setting} to another one`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${port ?? address ?? ''} is in use by another program: ${another} (0 picks a free one), or stop that program`;
    case 'EACCES':
      return port === undefined
        ? `${path ?? 'a file'} may not be used by this user (permission denied)`
        : `port ${port} may not be opened by this user: ports below 1024 need a privilege, or ${another}`;
    case 'EADDRNOTAVAIL':
      return `${address ?? 'the address'} is no address of this machine: set AIRLOCK_HOST`;
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return firstLines(messageOf(error)) || 'something went wrong without a word';
  }
}

/** Lists of settings have several lines; a message that carries a stack is cut before it. */
function firstLines(message: string): string {
  const lines = message.split('\n');
  const stackAt = lines.findIndex((line) => /^\s+at .+[:(]/.test(line));
  return (stackAt < 0 ? lines : lines.slice(0, stackAt)).join('\n').trim();
}

/** Why the system did not let it be read; anything else is a fault of ours. */
export function fileProblem(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'it may not be read by this user (permission denied)';
    case 'ELOOP':
      return 'it is a link that leads back to itself';
    case 'ENOENT':
      return noSuchFile(String((error as { path?: unknown }).path ?? ''));
    case 'ENOTDIR':
      return 'a part of its path is no folder';
    case 'ENAMETOOLONG':
      return 'its name is longer than the system allows';
    case '':
      throw error;
    default:
      return messageOf(error);
  }
}

/** A name that is no UTF-8 comes here with marks in it, and so means nothing. */
export function noSuchFile(path: string): string {
  return path.includes('\u{fffd}')
    ? 'there is no file of this name; if its real name is not written in UTF-8, rename it'
    : 'there is no such file';
}

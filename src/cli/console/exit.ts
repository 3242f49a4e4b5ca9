/** Exit codes, and error messages for the terminal: one line without a stack trace. */

import { codeOf, fileProblem } from '../../lib/errors.js';
import { isObject } from '../../lib/objects.js';

export const EXIT = {
  ok: 0,
  /** Errors were found, or an expectation was not met. */
  errorsFound: 1,
  /** Wrong usage or unreadable input. */
  usage: 2,
  /** The server could not be reached, or could not start. */
  unreachable: 3,
} as const;

/** Exit codes of a command that a signal ended early: 128 plus the signal number, as in shells. */
export const EXIT_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof EXIT_OF_SIGNAL;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | (typeof EXIT_OF_SIGNAL)[StopSignal];

/** An error whose message is written for the user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code = 'CLI_ERROR';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.usage, options?: { cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Compares the code: the bundle of `validate` has its own copy of the class. */
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
  'SERVER_KEY',
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
  // Permission denied on a port is a failure to start; on a file it is wrong input.
  const isFile = (code === 'EACCES' || code === 'EPERM') && !('port' in Object(error));
  return isFile || UNREADABLE.has(code) ? EXIT.usage : EXIT.errorsFound;
}

/** The message after `airlock: `. `settingOf` returns the setting that a port comes from. */
export function explain(error: unknown, settingOf: (port: unknown) => string | undefined = () => undefined): string {
  const { port, address, path } = Object(error) as { port?: unknown; address?: unknown; path?: unknown };
  const setting = settingOf(port);
  const another = setting === undefined ? 'choose another port' : `set ${setting} to another port`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${port ?? address ?? ''} is in use by another program: ${another} (0 picks a free one), or stop that program`;
    case 'EACCES':
      return port === undefined
        ? `${path ?? 'file access'}: permission denied`
        : `cannot open port ${port}: ports below 1024 need root or CAP_NET_BIND_SERVICE; or ${another}`;
    case 'EADDRNOTAVAIL':
      return `${address ?? 'the address'} is not an address of this machine: set AIRLOCK_HOST`;
    case 'ENOSPC':
      return 'the disk is full';
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return typeof path === 'string' ? `${path}: ${fileProblem(error)}` : firstLines(messageOf(error));
    case 'ECONNREFUSED':
      return port === undefined
        ? 'the server refused the connection'
        : `no server answers on ${address ?? 'this machine'}, port ${port}`;
    default:
      // Errors of the HTTP interface carry their number there.
      return firstLines(messageOf(error)).replace(/^\(#\d+\) /, '') || 'unknown error';
  }
}

/** The message without an embedded stack trace. Lists of settings have several lines, which are kept. */
function firstLines(message: string): string {
  const lines = message.split('\n');
  const stackAt = lines.findIndex((line) => /^\s+at .+[:(]/.test(line));
  return (stackAt < 0 ? lines : lines.slice(0, stackAt)).join('\n').trim();
}

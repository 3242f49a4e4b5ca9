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

const WRONG_USAGE = 'wrong usage';
const STOPPED = 'stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM; the report covers the time until then';
/** Commands that read or change the store, through the running server where there is one. */
const ADMINISTRATION = {
  0: 'done',
  1: 'the server failed to do it',
  2: 'wrong usage, no store, an ID that does not exist, or what the server refuses',
  3: 'the server or the store cannot be reached',
} as const;

/** Exit codes of each command, and their meaning; a row holds for its subcommands without one of their own. `signal`: 129, 130 and 143. */
export const EXIT_CODES: Readonly<Record<string, Readonly<Partial<Record<0 | 1 | 2 | 3 | 'signal', string>>>>> = {
  serve: {
    0: 'stopped by a signal',
    1: 'ended by a second signal, or what it had open did not close within 15 s',
    2: 'wrong usage or settings',
    3: 'could not start',
  },
  validate: {
    0: 'no errors, or expectation met',
    1: 'errors found, or expectation not met',
    2: 'wrong usage, or a file that cannot be read to its end (its errors until there are in the report)',
  },
  replay: {
    0: 'no errors, or expectation met',
    1: 'errors found, or expectation not met',
    2: 'wrong usage, or a file that cannot be sent',
    3: 'the server cannot be reached',
    signal: STOPPED,
  },
  conform: {
    0: 'no case failed',
    1: 'a case failed',
    2: 'wrong usage, or the server refuses a plain publish, also because another encoder publishes with the key',
    3: 'the server cannot be reached, or no longer accepts connections',
    signal: STOPPED,
  },
  fixtures: {
    0: 'all as expected',
    1: 'a mismatch',
    2: 'wrong usage, or a recording that cannot be sent',
    signal: STOPPED,
  },
  spec: { 0: 'printed', 2: WRONG_USAGE },
  explain: { 0: 'printed', 2: 'wrong usage, or no such error' },
  owner: ADMINISTRATION,
  audit: ADMINISTRATION,
  token: ADMINISTRATION,
  'sign-in': ADMINISTRATION,
  live: ADMINISTRATION,
  'live errors': {
    ...ADMINISTRATION,
    0: 'no errors',
    1: 'errors among those printed, or the server failed to list them',
  },
  reference: ADMINISTRATION,
  forward: ADMINISTRATION,
  'obs-profile': ADMINISTRATION,
  drain: { 0: 'draining; with --wait, no publisher is left', 2: WRONG_USAGE, 3: 'no server is running' },
  reload: {
    0: 'every process is of the installed version',
    1: 'it does not start, or needs a restart: the running version stays in service',
    2: WRONG_USAGE,
    3: 'no server is running',
  },
  backup: ADMINISTRATION,
  restore: {
    ...ADMINISTRATION,
    2: 'wrong usage, a file that is no whole backup, or a store or key that is there already',
  },
  key: { 0: 'done', 2: 'wrong usage, no server key, or a rotation that overlaps another' },
  'webhook-secret': { 0: 'printed', 2: 'wrong usage, or no server key' },
  completion: { 0: 'printed', 2: WRONG_USAGE },
  doctor: { 0: 'no check failed', 1: 'a check failed', 2: 'wrong usage or settings' },
};

/** The rows of a command, such as `live errors`: code and meaning. */
export function exitRows(command: string): (readonly [code: string, meaning: string])[] {
  const codes = EXIT_CODES[command] ?? EXIT_CODES[command.split(' ')[0] ?? ''] ?? {};
  return Object.entries(codes).map(([code, meaning]) => [code === 'signal' ? '129, 130, 143' : code, meaning]);
}

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

/** The Log port on pino: JSON lines on standard error, readable lines on a terminal. Secrets are masked after formatting, in any field. */

import { isatty } from 'node:tty';
import { format } from 'node:util';
import { pino } from 'pino';
import { hasColors } from '../../lib/colors.js';
import { defined } from '../../lib/objects.js';
import { visibleJson } from '../../lib/visible.js';
import type { Log } from '../../ports/index.js';
import { LogDestination } from './log-destination.js';
import { prettyLine } from './pretty-line.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type LogFormat = 'auto' | 'json' | 'pretty';

export interface LogOptions {
  readonly level: LogLevel;
  /** Fields of every line. */
  readonly base?: Readonly<Record<string, string>>;
  /** More fields of each line, read when it is written. */
  readonly fields?: () => Readonly<Record<string, string>>;
  /** `auto`, by default: pretty where the destination is a terminal. */
  readonly format?: LogFormat;
  /** File descriptor; standard error by default. */
  readonly destination?: number;
}

const STANDARD_ERROR = 2;

/** The log of a process. */
export interface ProcessLog extends Log {
  /** Lines that could not be written. */
  readonly linesDropped: number;
  /** Resolves when the lines until now were written or cannot be; call it before the process ends. */
  flush(): Promise<void>;
}

export function createLog(options: LogOptions): ProcessLog {
  const shape = shapeOf(options);
  const destination = new LogDestination({
    descriptor: options.destination ?? STANDARD_ERROR,
    notice: (dropped) => {
      const msg = 'log lines were dropped: they could not be written';
      return shape(`${JSON.stringify({ level: 'warn', time: new Date(), ...options.base, ...dropped, msg })}\n`);
    },
  });
  const root = pino(
    {
      level: options.level,
      base: options.base ?? null,
      ...defined({ mixin: options.fields }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err },
      hooks: { streamWrite: shape },
    },
    destination,
  );
  return new PinoLog(root, destination);
}

/**
 * Output of Node.js and packages becomes lines of the log: they would print text between JSON lines, and wait until it is
 * read. Warnings that are switched off stay so; a text that repeats is logged once.
 */
export function logPrinted(log: Log): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let last = '';
  const print = (...values: unknown[]): void => {
    const text = format(...values);
    if (text !== last) log.warn({}, text);
    last = text;
  };
  Object.assign(globalThis.console, { debug: print, error: print, info: print, log: print, warn: print });
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ name }, message));
}

function shapeOf({ format: form = 'auto', destination = STANDARD_ERROR }: LogOptions): (line: string) => string {
  const isTerminal = isatty(destination);
  if (form === 'json' || (form === 'auto' && !isTerminal)) return (line) => visibleJson(maskSecrets(line));
  const isColored = hasColors(isTerminal, process.env);
  return (line) => prettyLine(maskSecrets(line), isColored);
}

/** The logger of a child is made with its first line, since pino serializes the fields then: many children log nothing. */
class PinoLog implements ProcessLog {
  readonly #parent: PinoLog | undefined;
  readonly #fields: object;
  readonly #root: pino.Logger;
  readonly #destination: LogDestination;
  #made: pino.Logger | undefined;

  constructor(root: pino.Logger, destination: LogDestination, parent?: PinoLog, fields: object = {}) {
    this.#root = root;
    this.#destination = destination;
    this.#parent = parent;
    this.#fields = fields;
  }

  debug(fields: object, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  child(fields: object): Log {
    return new PinoLog(this.#root, this.#destination, this, fields);
  }

  get linesDropped(): number {
    return this.#destination.dropped;
  }

  flush(): Promise<void> {
    return this.#destination.flush();
  }

  #write(level: pino.Level, fields: object, message: string): void {
    if (this.#root.isLevelEnabled(level)) this.#logger()[level](fields, message);
  }

  #logger(): pino.Logger {
    this.#made ??= this.#parent === undefined ? this.#root : this.#parent.#logger().child(this.#fields);
    return this.#made;
  }
}

const SECRET_NAMES =
  'access_?token|app_?secret|appsecret_proof|authorization|cookie|key_?secret|password|private_?key|secret|secure_stream_url|server_?key|stream_?key|token';

/** A JSON member with such a name and any value: `"token":"…"`. */
const SECRET_MEMBER = new RegExp(`("(?:${SECRET_NAMES})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
/** Secret names in a query string: `?access_token=…`. */
const SECRET_PARAMETER = new RegExp(`([?&;](?:${SECRET_NAMES})=)[^&\\s"'\\\\]+`, 'gi');
/** A stream key in any context: the id stays readable, the 32 characters of base32 are masked. */
const STREAM_KEY = /(\d{1,19})-[a-z2-7]{32,}/gi;
/** The password of a URL with any scheme (matching the scheme too would take quadratic time on long lines), and the token after `Bearer`. */
const URL_PASSWORD = /(:\/\/[^\s:@/"]*:)[^\s@/"]+@/g;
const BEARER = /(\b(?:Bearer|OAuth)\s+)[A-Za-z0-9._~+/=-]+/g;

/** The line with its secrets masked. */
export function maskSecrets(line: string): string {
  return line
    .replace(SECRET_MEMBER, '$1"***"')
    .replace(SECRET_PARAMETER, '$1***')
    .replace(STREAM_KEY, '$1-***')
    .replace(URL_PASSWORD, '$1***@')
    .replace(BEARER, '$1***');
}

/**
 * Lines that strangers can cause, so that an attack cannot fill the disk with them. The first line of a kind from an address
 * group is written; those that follow within a minute of each other are counted, and one line a minute sums them up. With the
 * level `debug` they are also written one by one.
 */
import { addressGroup } from '../../lib/address-group.js';
import { codeOf } from '../../lib/errors.js';
import type { Clock, JoinedLog, Log } from '../../ports/index.js';

/** Bounds of one process, each with its reason. Ingest and web together write less than 1 MB in an hour of attack. */
export const JOINED_LIMITS = {
  /** Between two sums; an operator who watches the log is not kept waiting longer. */
  periodMs: 60_000,
  /** Lines written one by one: 100 at once, so that every encoder of a small server has its own, */
  burstBytes: 32_768,
  /** and a dozen in each further minute. */
  bytesPerPeriod: 4_096,
  /** Lines about the holder of one key in a minute: an encoder that reconnects every 5 s needs 24. */
  linesOfHolder: 30,
  /** Kinds and addresses that a sum names. */
  kinds: 16,
  addresses: 5,
  /** Address groups and kinds that are remembered: 1 MB of memory. */
  remembered: 10_000,
} as const;

/** Bytes of a line besides its own fields: time, level, process, connection. */
const FRAME_BYTES = 180;
const KIND_LENGTH = 80;
const SEVERITY = ['info', 'warn', 'error'] as const;
type Severity = (typeof SEVERITY)[number];

interface Line {
  readonly severity: Severity;
  readonly message: string;
  readonly fields: object;
  /** With those of the log that it is written to. */
  readonly all: object;
  readonly holder: string | undefined;
}

interface Sum {
  lines: number;
  worst: Severity;
  readonly groups: Set<string>;
  readonly addresses: Set<string>;
  readonly kinds: Map<string, number>;
}

interface JoinerDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** Calls back once, unless the process ends before. */
  readonly later?: (call: () => void, ms: number) => void;
}

const laterUnreferenced = (call: () => void, ms: number): void => void setTimeout(call, ms).unref();

/** Joins the lines of a process. */
export class Joiner {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #later: (call: () => void, ms: number) => void;
  #endsMs = 0;
  #seen = new Set<string>();
  #seenBefore = new Set<string>();
  readonly #ofHolder = new Map<string, number>();
  #bytes: number = JOINED_LIMITS.burstBytes;
  #refilledMs: number;
  #sum = emptySum();

  constructor({ log, clock, later = laterUnreferenced }: JoinerDeps) {
    this.#log = log;
    this.#clock = clock;
    this.#later = later;
    this.#refilledMs = clock.monotonicMs();
  }

  /** Lines that are joined. */
  log(): JoinedLog {
    return new JoiningLog(this, this.#log);
  }

  /** Whether the line is written by itself. One that is not is counted. */
  isWritten(line: Line): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#endsMs) this.#turn(nowMs);
    const { address } = line.all as { readonly address?: unknown };
    const group = typeof address === 'string' ? addressGroup(address) : '';
    const kind = kindOf(line);
    if (line.holder === undefined ? this.#isFirst(`${kind} ${group}`, line) : this.#isWithinBound(line.holder))
      return true;
    if (this.#sum.lines === 0) this.#later(() => this.sumUp(), this.#endsMs - nowMs);
    count(this.#sum, kind, group, line);
    return false;
  }

  /** Writes what was joined and not told yet. */
  sumUp(): void {
    const { lines, worst, groups, addresses, kinds } = this.#sum;
    if (lines === 0) return;
    this.#sum = emptySum();
    const fields = { lines, groups: groups.size, addresses: [...addresses], kinds: Object.fromEntries(kinds) };
    this.#log[worst](fields, 'further lines of the last minute, joined');
  }

  #turn(nowMs: number): void {
    this.sumUp();
    this.#seenBefore = nowMs - this.#endsMs < JOINED_LIMITS.periodMs ? this.#seen : new Set();
    this.#seen = new Set();
    this.#ofHolder.clear();
    this.#endsMs = nowMs + JOINED_LIMITS.periodMs;
  }

  #isFirst(key: string, line: Line): boolean {
    const isKnown = this.#seen.has(key) || this.#seenBefore.has(key);
    if (this.#seen.size >= JOINED_LIMITS.remembered && !this.#seen.has(key)) return false;
    this.#seen.add(key);
    return !isKnown && this.#spend(bytesOf(line));
  }

  #isWithinBound(holder: string): boolean {
    const lines = (this.#ofHolder.get(holder) ?? 0) + 1;
    this.#ofHolder.set(holder, lines);
    return lines <= JOINED_LIMITS.linesOfHolder;
  }

  #spend(bytes: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    const { burstBytes, bytesPerPeriod, periodMs } = JOINED_LIMITS;
    this.#bytes = Math.min(burstBytes, this.#bytes + ((nowMs - this.#refilledMs) * bytesPerPeriod) / periodMs);
    this.#refilledMs = nowMs;
    if (this.#bytes < bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

class JoiningLog implements JoinedLog {
  readonly #joiner: Joiner;
  readonly #log: Log;
  readonly #fields: object;
  readonly #holder: string | undefined;

  constructor(joiner: Joiner, log: Log, fields: object = {}, holder?: string) {
    this.#joiner = joiner;
    this.#log = log;
    this.#fields = fields;
    this.#holder = holder;
  }

  debug(fields: object, message: string): void {
    this.#log.debug(fields, message);
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

  child(fields: object): JoinedLog {
    return new JoiningLog(this.#joiner, this.#log.child(fields), { ...this.#fields, ...fields }, this.#holder);
  }

  about(holder: string): JoinedLog {
    return new JoiningLog(this.#joiner, this.#log, this.#fields, holder);
  }

  #write(severity: Severity, fields: object, message: string): void {
    const line = { severity, message, fields, all: { ...this.#fields, ...fields }, holder: this.#holder };
    this.#log[this.#joiner.isWritten(line) ? severity : 'debug'](fields, message);
  }
}

function emptySum(): Sum {
  return { lines: 0, worst: 'info', groups: new Set(), addresses: new Set(), kinds: new Map() };
}

function count(sum: Sum, kind: string, group: string, { severity, all }: Line): void {
  sum.lines++;
  if (SEVERITY.indexOf(severity) > SEVERITY.indexOf(sum.worst)) sum.worst = severity;
  if (group !== '' && sum.groups.size < JOINED_LIMITS.remembered) sum.groups.add(group);
  const { address } = all as { readonly address?: unknown };
  if (typeof address === 'string' && sum.addresses.size < JOINED_LIMITS.addresses) sum.addresses.add(address);
  const shown = sum.kinds.has(kind) || sum.kinds.size < JOINED_LIMITS.kinds ? kind : 'others';
  sum.kinds.set(shown, (sum.kinds.get(shown) ?? 0) + 1);
}

/** The message without its details, and the codes that say why. */
function kindOf({ message, fields }: Line): string {
  const { error_code, reason, cause, code, error, err } = fields as Readonly<Record<string, unknown>>;
  if (typeof error_code === 'string') return error_code;
  const [head = message] = message.split(':');
  const codes = [reason, cause, code, faultOf(error ?? err)].filter((each) => each !== undefined);
  return (codes.length === 0 ? head : `${head}: ${codes.join(', ')}`).slice(0, KIND_LENGTH);
}

function faultOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return codeOf(error) || (error instanceof Error ? `${error.name} ${error.message}` : undefined);
}

/** About as many as it takes when it is written. */
function bytesOf({ message, fields }: Line): number {
  let bytes = FRAME_BYTES + message.length;
  for (const [name, value] of Object.entries(fields)) bytes += name.length + 6 + sizeOf(value);
  return bytes;
}

function sizeOf(value: unknown): number {
  if (value instanceof Error) return value.message.length + (value.stack?.length ?? 0) + sizeOf(value.cause ?? '');
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
}

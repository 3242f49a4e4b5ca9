/** System ports: clock, ids, log and disk reserve. */

export interface Clock {
  /** Wall time, milliseconds since 1970. */
  wallMs(): number;
  /** Monotonic milliseconds; only differences are meaningful. */
  monotonicMs(): number;
}

export interface IdSource {
  /** A new decimal id of at most 63 bits, increasing with time. */
  next(): string;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/**
 * A log for lines that strangers can cause. The first of a kind from an address group (the field `address`) is written, and
 * what follows is counted and summed up once a minute.
 */
export interface JoinedLog extends Log {
  child(fields: object): JoinedLog;
  /** For lines about the holder of a valid key: each is written, up to a bound a minute. */
  about(holder: string): JoinedLog;
}

/** The part of a disk to keep free, from the settings. */
export interface DiskReserve {
  /** The setting as text: `10%`, `20GB`. */
  readonly text: string;
  bytesOf(diskBytes: number): number;
}

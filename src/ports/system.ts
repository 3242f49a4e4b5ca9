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

/** The part of a disk to keep free, from the settings. */
export interface DiskReserve {
  /** The setting as text: `10%`, `20GB`. */
  readonly text: string;
  bytesOf(diskBytes: number): number;
}

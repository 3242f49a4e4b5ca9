/** System ports: clock, ids, logs and disk reserve. */

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

export interface RefusalLine {
  /** `limit reached: …` or `sign-in refused: …` */
  readonly action: string;
  /** Address of the client. */
  readonly from?: string | undefined;
  /** Id of the token, or `stream key`; absent if the client is not known. */
  readonly who?: string | undefined;
  /** Id of the object that the client named, and its owner. */
  readonly target?: string | undefined;
  readonly owner?: string | undefined;
}

/** The part of the audit log that anyone can cause: refused sign-ins, and limits that were reached. */
export interface RefusalLog {
  /**
   * Returns at once. The number of lines is bounded: one of an action, client and minute. `client` is the token or
   * owner whose limit it is, or `server`; if absent, the address.
   */
  add(line: RefusalLine, client?: string): void;
}

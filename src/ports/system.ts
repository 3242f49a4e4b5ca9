/** Time, ids and the log: what of the machine every part may ask for. */

export interface Clock {
  /** Wall time, milliseconds since 1970. */
  wallMs(): number;
  /** Milliseconds that never go back; only differences mean anything. */
  monotonicMs(): number;
}

export interface IdSource {
  /** A new decimal id of at most 63 bits, growing with time. */
  next(): string;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/** How much of a disk stays free, as the setting gives it. */
export interface DiskReserve {
  /** As it was written: `10%`, `20GB`. */
  readonly text: string;
  bytesOf(diskBytes: number): number;
}

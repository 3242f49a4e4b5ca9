/** An AbortSignal. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
}

/** Random access to the bytes of a file, wherever it is: on a disk, or chosen in a browser. */
export interface ByteSource {
  /** Size in bytes, when the source was opened. */
  readonly size: number;
  /**
   * `length` bytes from `offset` on; fewer only at the end. The bytes belong to the caller, who may offer `into`, of that length,
   * for them: a source need not use it.
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
}

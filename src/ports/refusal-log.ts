/** The part of the audit log that anyone can cause: refused sign-ins, and limits that were reached. */

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

export interface RefusalLog {
  /**
   * Returns at once. The number of lines is bounded: one of an action, client and minute. `client` is the token or
   * owner whose limit it is, or `server`; if absent, the address.
   */
  add(line: RefusalLine, client?: string): void;
}

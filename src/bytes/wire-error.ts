/** The only error that decoders of untrusted bytes may throw. `code` is stable; `clause` cites the standard; `offset` is a byte position. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: string;
  readonly clause: string;
  readonly offset: number;

  constructor(code: string, message: string, clause: string, offset = -1) {
    super(message);
    this.code = code;
    this.clause = clause;
    this.offset = offset;
  }
}

/** By its name: readers that a bundle loads when they are needed have a class of their own. */
export function isWireError(error: unknown): error is WireError {
  return error instanceof Error && error.name === 'WireError';
}

/** The code of a `WireError`; throws any other error again. */
export function wireCodeOf(error: unknown): string {
  if (error instanceof WireError) return error.code;
  throw error;
}

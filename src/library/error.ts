/** Errors of the library, told apart by `code`. A damaged file is none: its result says what is wrong with it. */

/**
 * - `BAD_SPEC`: the bounds are not JSON, or not of the form of docs/spec.schema.json; the message names the place.
 * - `UNKNOWN_PROFILE`: no row of the profile table has this name.
 * - `UNKNOWN_ERROR`: the catalogue has no error of this code or type.
 * - `BAD_INPUT`: not bytes, a tag without its fields, bytes and tags for one judge, or a time in file mode.
 * - `ENDED`: the judge was ended before.
 * - `SPEC_OF_PROCESS`: own bounds in a program that runs the sources of the library in place of the package.
 */
export type AirlockErrorCode =
  | 'BAD_SPEC'
  | 'UNKNOWN_PROFILE'
  | 'UNKNOWN_ERROR'
  | 'BAD_INPUT'
  | 'ENDED'
  | 'SPEC_OF_PROCESS';

/** A call that cannot be answered. Compare `code`, whose values stay; messages may change. */
export class AirlockError extends Error {
  override readonly name = 'AirlockError';
  readonly code: AirlockErrorCode;

  constructor(code: AirlockErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

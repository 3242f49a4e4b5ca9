/** Ends of a case other than a pass. */

/** The case fails: something that it requires did not come. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
  readonly code = 'CONFORM_UNMET';
  readonly expected: string;
  readonly came: string;

  constructor(expected: string, came: string) {
    super(`expected ${expected}; came ${came}`);
    this.expected = expected;
    this.came = came;
  }
}

/** The case could not be carried out as far as the point that it judges. */
export class Undecided extends Error {
  override readonly name = 'Undecided';
  readonly code = 'CONFORM_UNDECIDED';
}

/** The case does not apply to this peer. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
  readonly code = 'CONFORM_NOT_APPLICABLE';
}

/** The peer says that another encoder publishes with the key: the run stops, because it would disturb that one. */
export class KeyBusy extends Error {
  override readonly name = 'KeyBusy';
  readonly code = 'CONFORM_KEY_BUSY';
}

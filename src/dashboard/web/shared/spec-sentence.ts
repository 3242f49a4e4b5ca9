/** Sentences for the values and results of the specification table. Pure. */

export interface SpecState {
  readonly over: boolean;
  /** All records have been read, so a row without one did not fail. */
  readonly complete: boolean;
  /** Values of the stream have arrived since the page was opened. */
  readonly seen: boolean;
  /** The values are those of now, not the last before the encoder disconnected. */
  readonly current: boolean;
  readonly hasFailing: boolean;
}

export function specSentence({ over, complete, seen, current, hasFailing }: SpecState): string {
  if (over) {
    return complete ? 'Results for the whole broadcast.' : 'Loading the error log of the whole broadcast.';
  }
  if (seen) return current ? 'Current state of the stream.' : 'Last values before the encoder disconnected.';
  return hasFailing ? 'Errors of the stream so far. No current values.' : 'Requirements for the stream. No data yet.';
}

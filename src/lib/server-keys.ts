/** A key that the server key replaced. What was derived from it stays valid until the overlap ends. */
export interface PreviousKey {
  readonly key: Uint8Array;
  /** Milliseconds since 1970; infinite while the setting names it. */
  readonly untilMs: number;
}

/** The keys with which something derived may be verified, the current one first. */
export function acceptedKeys(
  current: Uint8Array,
  previous: PreviousKey | undefined,
  nowMs: number,
): readonly Uint8Array[] {
  return previous !== undefined && previous.untilMs > nowMs ? [current, previous.key] : [current];
}

/** How a broadcast ended and what was found in it, as the pages and the report say it. Pure. */

export interface Ending {
  readonly encoder_stopped?: boolean;
  readonly connection_lost?: boolean;
  /** It was broadcast, and nothing but its owner ended it. */
  readonly ended_by_owner?: boolean;
}

/** `3 errors, 1 warning`; `No errors` for neither. */
export function countsText(errors: number, warnings: number): string {
  const many = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]);
  const parts = [...many(errors, 'error'), ...many(warnings, 'warning')];
  return parts.length === 0 ? 'No errors' : parts.join(', ');
}

/** `Connection lost. 3 errors, 1 warning` */
export function endedSentence(ending: Ending, counts: string): string {
  const how =
    ending.encoder_stopped === true
      ? 'Ended by the encoder. '
      : ending.connection_lost === true
        ? 'Connection lost. '
        : ending.ended_by_owner === true
          ? 'Ended by the owner. '
          : '';
  return how + counts;
}

/** An ended stream that was silent for this long before it was closed had lost its connection. */
const LOST_MS = 5_000;

/** The connection ended without a stop of the encoder, the owner or a rule, and none followed in time. */
export function isConnectionLost(live: {
  readonly stream: string;
  readonly endReason?: unknown;
  readonly isStopped?: boolean;
  readonly streamSinceMs?: number;
  readonly endedMs?: number;
}): boolean {
  const { stream, endReason, isStopped, streamSinceMs, endedMs } = live;
  if (stream !== 'ended' || endReason !== undefined || isStopped === true) return false;
  return streamSinceMs !== undefined && endedMs !== undefined && streamSinceMs - endedMs >= LOST_MS;
}

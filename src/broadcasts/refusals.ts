/** Why a publish is refused. Each protocol maps the reason to its codes; all share the description. */

/** Short, stable name for log and metrics. `denied-…` carries the subcode of an eligibility rule for going LIVE. */
export type RefusalReason =
  | 'unknown-key'
  | 'too-many-wrong-keys'
  | 'already-publishing'
  | 'already-in-preflight'
  | 'store-away'
  | 'no-new-live-video'
  | 'ended'
  | 'too-many-publishers-of-owner'
  | 'preflight-after-publish'
  | 'internal-error'
  | `denied-${string}`;

export interface Refusal {
  readonly accepted: false;
  readonly reason: RefusalReason;
  /** Shown to the user of the encoder. */
  readonly description: string;
}

export const refuse = (reason: RefusalReason, description: string): Refusal => ({
  accepted: false,
  reason,
  description,
});

export const UNKNOWN_KEY = refuse(
  'unknown-key',
  'Unknown stream key. Copy the stream URL and key again from the live video.',
);

export const TOO_MANY_WRONG_KEYS = refuse(
  'too-many-wrong-keys',
  'Too many wrong stream keys from your address. Copy the stream key again, wait a minute and retry.',
);

export const ALREADY_PUBLISHING = refuse(
  'already-publishing',
  'Another encoder is already publishing with this stream key. Stop it, or wait until it has been silent for 3 seconds.',
);

export const ALREADY_IN_PREFLIGHT = refuse(
  'already-in-preflight',
  'A preflight with this stream key is already running. Stop the other encoder, or wait 25 seconds and retry.',
);

export const STORE_AWAY = refuse(
  'store-away',
  'The server cannot accept new broadcasts right now. Try again in a minute.',
);

export const PREFLIGHT_AFTER_PUBLISH = refuse(
  'preflight-after-publish',
  'A preflight needs a new connection. Reconnect and publish the preflight first.',
);

export const INTERNAL_ERROR = refuse('internal-error', 'The server failed to start this broadcast. Try again.');

/** `reason`: the text of the end, if it has one. */
export function broadcastEnded(reason: string | undefined): Refusal {
  return refuse(
    'ended',
    reason
      ? `This broadcast was ended: ${reason}`
      : 'This broadcast has ended. Create a new live video and use its stream key.',
  );
}

export function tooManyPublishers(limit: number): Refusal {
  return refuse(
    'too-many-publishers-of-owner',
    `The owner of this stream key has reached its limit of ${limit} running streams. Stop one of them and try again.`,
  );
}

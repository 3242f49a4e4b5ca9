/** Why a publish is refused. Each protocol maps the reason to its own codes; the description is the same for all. */

/** For the log and the metrics; short and stable. `denied-…`: the subcode of a rule about who may go LIVE. */
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
  /** For the encoder's user. */
  readonly description: string;
}

export const refuse = (reason: RefusalReason, description: string): Refusal => ({
  accepted: false,
  reason,
  description,
});

export const UNKNOWN_KEY = refuse(
  'unknown-key',
  'The stream key is not known. Copy the stream URL and key again from the live video.',
);

export const TOO_MANY_WRONG_KEYS = refuse(
  'too-many-wrong-keys',
  'Too many wrong stream keys came from your address. Copy the stream key again, wait a minute and try once more.',
);

export const ALREADY_PUBLISHING = refuse(
  'already-publishing',
  'Somebody is already publishing with this stream key. Stop the other encoder, or wait until it has been silent for 3 seconds.',
);

export const ALREADY_IN_PREFLIGHT = refuse(
  'already-in-preflight',
  'A preflight with this stream key is already running. Stop the other encoder, or wait 25 seconds and try again.',
);

export const STORE_AWAY = refuse(
  'store-away',
  'The server cannot take a new broadcast right now. Try again in a minute.',
);

export const PREFLIGHT_AFTER_PUBLISH = refuse(
  'preflight-after-publish',
  'A preflight needs a connection of its own. Connect again and start with the preflight.',
);

export const INTERNAL_ERROR = refuse('internal-error', 'The server failed to start this broadcast. Try again.');

/** `reason`: the text of the end, where it has one. */
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
    `The owner of this stream key has ${limit} streams running, which is its limit. Stop one of them and try again.`,
  );
}

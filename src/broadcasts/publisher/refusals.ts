/** Why a publish is refused. Each protocol maps the reason to its codes; all share the description. */

import { defined } from '../../lib/objects.js';
import type { EndReason } from '../../lifecycle/documents.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import type { PublishRefusal } from '../../spec/error-record.js';
import { quotaError, type ServiceError, SUBCODES } from '../../spec/service-errors.js';

/** Short, stable name for log and metrics. `denied-…` carries the subcode of an eligibility rule for going LIVE. */
export type RefusalReason =
  | 'unknown-key'
  | 'too-many-wrong-keys'
  | 'already-publishing'
  | 'already-in-preflight'
  | 'store-away'
  | 'no-new-live-video'
  | 'ended'
  | 'retuning'
  | 'too-many-publishers-of-owner'
  | 'preflight-after-publish'
  | 'internal-error'
  | 'draining'
  | 'loop'
  | `denied-${string}`;

export interface Refusal {
  readonly accepted: false;
  readonly reason: RefusalReason;
  /** Shown to the user of the encoder. */
  readonly description: string;
  /** The refusal in the HTTP interface. */
  readonly refusal: PublishRefusal;
}

const { code, status } = SUBCODES.LIVE_VIDEO__LIVE_STREAM_ERROR;
const STREAM_ERROR: PublishRefusal = { code, subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR', status };

export const refuse = (reason: RefusalReason, description: string, refusal = STREAM_ERROR): Refusal => ({
  accepted: false,
  reason,
  description,
  refusal,
});

/** A refusal for an error that the HTTP interface has too. */
export function refuseFor(reason: RefusalReason, { shape }: ServiceError): Refusal {
  const { code: own, subcode, status: ownStatus, userMessage, message } = shape;
  const refusal = { code: own, ...defined({ subcode }), status: ownStatus };
  const text = userMessage ?? message;
  return refuse(reason, reason.startsWith('denied-') ? `[${own}/${subcode ?? ''}] ${text}` : text, refusal);
}

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

/** Given again and again to an OBS that has to ask for its new settings: no fault, so it leaves no record. */
export const RETUNING = refuse(
  'retuning',
  'The operator changed the encoder settings. OBS asks for them by itself; this takes about 45 seconds.',
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

export const LOOP = refuse(
  'loop',
  'This stream has passed this server before: its forwards lead back here. Remove the forward that closes the ring.',
);

export const DRAINING = refuse('draining', 'This server is going out of service. Reconnect to publish to another one.');

/** `reason`: of the end, if it has one. */
export function broadcastEnded(reason: EndReason | undefined): Refusal {
  if (!reason?.text) {
    return refuse('ended', 'This broadcast has ended. Create a new live video and use its stream key.');
  }
  const description = `This broadcast was ended: ${reason.text}`;
  if (reason.code !== SERVICE_CODES.copyrightViolation) return refuse('ended', description);
  const subcode = 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION';
  return refuse('ended', description, { code: SUBCODES[subcode].code, subcode, status: SUBCODES[subcode].status });
}

export function tooManyPublishers(limit: number): Refusal {
  const text = `The owner of this stream key has reached its limit of ${limit} running streams. Stop one of them and try again.`;
  return refuseFor('too-many-publishers-of-owner', quotaError(text));
}

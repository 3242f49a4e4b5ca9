/** Errors of access control. An object that the token may not see gives the same error as one that does not exist. */

import { graphDateTime } from '../../spec/error-view.js';
import type { GraphMethod } from '../../spec/graph.js';
import { ServiceError, subcodeError } from '../../spec/service-errors.js';

/** Ids, and names of edges (words joined by underscores). */
const SAFE_TO_ECHO = /^(?:[\d_]+|[a-z]+(?:_[a-z]+)*_[a-z]+)$/;

/**
 * Redacts a path segment for use in an error message. Users paste access tokens and stream keys into paths, and clients
 * log responses, so anything as long as a secret becomes `***`.
 */
export function redacted(part: string, length = 100): string {
  return part.replaceAll(/[\w~+=.|-]{20,}/g, (run) => (SAFE_TO_ECHO.test(run) ? run : '***')).slice(0, length);
}

export function noSuchObject(method: GraphMethod, id: string): ServiceError {
  return new ServiceError({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    status: 400,
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${redacted(id)}' does not exist, is not visible to this token, or does not support this operation`,
    isTransient: false,
  });
}

/** `deletedMs`: when it was deleted; given only where the caller could see it before. */
export function noSuchLiveVideo(deletedMs?: number): ServiceError {
  if (deletedMs === undefined) return subcodeError('LIVE_VIDEO__NOT_EXIST');
  const time = graphDateTime(deletedMs);
  const text = `The live video existed and was deleted at ${time}.`;
  return subcodeError('LIVE_VIDEO__NOT_EXIST', undefined, {
    message: `(#100) ${text}`,
    userMessage: text,
    data: { deleted_time: time },
  });
}

export function noSuchAlias(name: string): ServiceError {
  return new ServiceError({
    code: 803,
    type: 'OAuthException',
    status: 404,
    message: `(#803) Some of the aliases you requested do not exist: ${redacted(name)}`,
    isTransient: false,
  });
}

export function unknownPath(path: string): ServiceError {
  return new ServiceError({
    code: 2500,
    type: 'OAuthException',
    status: 400,
    message: `Unknown path components: ${redacted(path, 200)}`,
    isTransient: false,
  });
}

export function tokenRequired(): ServiceError {
  return new ServiceError({
    code: 104,
    type: 'OAuthException',
    status: 400,
    message: '(#104) An access token is required to request this resource.',
    isTransient: false,
  });
}

/** A body refused because no valid token has arrived. `when`: the deadline that the token missed. */
export function tokenRequiredFirst(when: string): ServiceError {
  return new ServiceError({
    code: 104,
    type: 'OAuthException',
    status: 400,
    message: `(#104) An access token is required ${when}: in the query, a header, or an earlier field`,
    isTransient: false,
  });
}

export function activeTokenRequired(): ServiceError {
  return new ServiceError({
    code: 2500,
    type: 'OAuthException',
    status: 400,
    message: 'An active access token must be used to query information about the current user.',
    isTransient: false,
  });
}

/** Subcode 467: unknown or revoked. 463: expired. */
export function tokenInvalid(subcode: 463 | 467, message: string): ServiceError {
  return new ServiceError({
    code: 190,
    subcode,
    type: 'OAuthException',
    status: 401,
    message: `Error validating access token: ${message}`,
    isTransient: false,
  });
}

export function proofInvalid(): ServiceError {
  return new ServiceError({
    code: 100,
    type: 'GraphMethodException',
    status: 400,
    message: 'Invalid appsecret_proof provided in the API argument',
    isTransient: false,
    audit: 'sign-in refused: appsecret_proof',
  });
}

/** The token may see the object but not perform the operation. */
export function notPermitted(reason: string): ServiceError {
  return new ServiceError({
    code: 200,
    type: 'OAuthException',
    status: 403,
    message: `(#200) ${reason}`,
    isTransient: false,
  });
}

/** The refusals of access control. A thing that may not be seen answers in the very words of one that never was. */

import type { GraphMethod } from '../../spec/graph.js';
import { ServiceError, subcodeError } from '../../spec/service-errors.js';

/** Ids, and the names of edges: words joined by underscores. */
const HARMLESS = /^(?:[\d_]+|[a-z]+(?:_[a-z]+)*_[a-z]+)$/;

/**
 * What came in a path, as an answer may repeat it. People paste access tokens and stream keys there, and clients log
 * answers: nothing that is as long as a secret is repeated.
 */
export function shownPart(part: string, length = 100): string {
  return part.replaceAll(/[\w~+=.|-]{20,}/g, (run) => (HARMLESS.test(run) ? run : '***')).slice(0, length);
}

export function noSuchObject(method: GraphMethod, id: string): ServiceError {
  return new ServiceError({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    status: 400,
    message: `Unsupported ${method.toLowerCase()} request. No object with the ID '${shownPart(id)}' exists, or this token may not see it, or it does not take this operation`,
    isTransient: false,
  });
}

export function noSuchLiveVideo(): ServiceError {
  return subcodeError('LIVE_VIDEO__NOT_EXIST');
}

export function noSuchAlias(name: string): ServiceError {
  return new ServiceError({
    code: 803,
    type: 'OAuthException',
    status: 404,
    message: `(#803) Some of the aliases you requested do not exist: ${shownPart(name)}`,
    isTransient: false,
  });
}

export function unknownPath(path: string): ServiceError {
  return new ServiceError({
    code: 2500,
    type: 'OAuthException',
    status: 400,
    message: `Unknown path components: ${shownPart(path, 200)}`,
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

/** A body that is refused as long as nothing shows who sends it. `when`: what the token came too late for. */
export function tokenRequiredFirst(when: string): ServiceError {
  return new ServiceError({
    code: 104,
    type: 'OAuthException',
    status: 400,
    message: `(#104) An access token must come ${when}: in the address, a header, or an earlier field`,
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

/** 467: not a token of this server, or revoked. 463: expired. */
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
  });
}

/** What the token may see but not do. */
export function notPermitted(reason: string): ServiceError {
  return new ServiceError({
    code: 200,
    type: 'OAuthException',
    status: 403,
    message: `(#200) ${reason}`,
    isTransient: false,
  });
}

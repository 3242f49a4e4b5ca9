/** Renders errors as the error envelope of the Graph conventions, with HTTP status and `WWW-Authenticate`. */

import { codeOf } from '../../lib/errors.js';
import { defined } from '../../lib/objects.js';
import type { Log } from '../../ports/index.js';
import { ServiceError, type ServiceErrorShape } from '../../spec/service-errors.js';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: Readonly<Record<string, unknown>> };
}

/**
 * Renders any thrown value. Server errors are logged with the trace id that the client gets. A temporary refusal
 * without an underlying cause is logged at info.
 */
export function errorAnswer(error: unknown, trace: string, log: Log): ErrorAnswer {
  const shape = shapeOf(error);
  if (shape.status >= 500) {
    const isRefusal = error instanceof ServiceError && error.cause === undefined;
    if (isRefusal) log.info({ trace, code: shape.code, reason: shape.message }, 'request temporarily refused');
    // The store tells of its loss itself, in one line for all requests.
    else if (codeOf(error) === 'STORE_UNAVAILABLE')
      log.debug({ trace, err: error, code: shape.code }, 'request failed');
    else log.error({ trace, err: error, code: shape.code }, 'request failed');
  }
  return {
    status: shape.status,
    headers: challenge(shape),
    body: {
      error: {
        message: shape.message,
        type: shape.type,
        code: shape.code,
        ...defined({ error_subcode: shape.subcode, error_data: shape.data }),
        is_transient: shape.isTransient ?? false,
        ...defined({ error_user_title: shape.title, error_user_msg: shape.userMessage }),
        fbtrace_id: trace,
      },
    },
  };
}

function shapeOf(error: unknown): ServiceErrorShape {
  if (error instanceof ServiceError) return error.shape;
  switch (codeOf(error)) {
    case 'STORE_UNAVAILABLE':
      return fault(2, 503, '(#2) Service temporarily unavailable', true);
    case 'STORE_CONFLICT':
      return fault(2, 503, '(#2) The object was changed by another request; try again', true);
    case 'STORE_INVALID_CURSOR':
      return fault(100, 400, '(#100) Invalid cursors values', false);
    default:
      return fault(1, 500, '(#1) An unknown error occurred', true);
  }
}

function fault(code: number, status: number, message: string, isTransient: boolean): ServiceErrorShape {
  return { code, status, message, type: 'OAuthException', isTransient };
}

/** The `WWW-Authenticate` header for token errors. */
function challenge(shape: ServiceErrorShape): Record<string, string> {
  const kind =
    shape.code === 190
      ? 'invalid_token'
      : shape.code === 104 || (shape.code === 2500 && shape.message.includes('access token'))
        ? 'invalid_request'
        : shape.code === 200 || shape.code === 10
          ? 'insufficient_scope'
          : undefined;
  if (kind === undefined) return {};
  const message = shape.message.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
  return { 'WWW-Authenticate': `OAuth "Facebook Platform" "${kind}" "${message}"` };
}

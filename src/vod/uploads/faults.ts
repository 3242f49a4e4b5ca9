/** Errors of uploads. The subcodes are those that clients of the Graph API retry on. */

import { isCode } from '../../lib/errors.js';
import { defined } from '../../lib/objects.js';
import { ServiceError, subcodeError } from '../../spec/service-errors.js';
import { UPLOADS } from './limits.js';

/** The published subcode, with the reason: a fault of the server (`ours`) or of the connection, so a retry may succeed. */
export function createFailed(detail: string, options: { ours?: boolean; cause?: unknown } = {}): ServiceError {
  const overrides = { isTransient: true, ...(options.ours ? { status: 500 } : {}) };
  return subcodeError('VIDEO__CREATE_FAILED', detail, overrides, { cause: options.cause });
}

/** The disk or object storage failed while bytes were written. */
export function writeFailed(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) {
    return createFailed('Not enough disk space on the server.', { ours: true, cause: error });
  }
  return createFailed('The server could not store the file.', { ours: true, cause: error });
}

function fault(code: number, subcode: number, text: string, more: object = {}): ServiceError {
  return new ServiceError({
    code,
    subcode,
    type: 'OAuthException',
    status: 400,
    message: `(#${code}) ${text}`,
    title: 'Upload Problem',
    userMessage: text,
    isTransient: false,
    ...more,
  });
}

export const tooSmall = (): ServiceError => fault(382, 1363022, 'The video file is smaller than 1 KB.');

export const tooLarge = (maxBytes: number): ServiceError =>
  fault(100, 1363023, `The video file is larger than ${maxBytes} bytes.`);

export const unknownSession = (): ServiceError =>
  fault(6000, 1363041, 'The upload session does not exist or has expired. Start again.', { isTransient: false });

export const incomplete = (startOffset: number, fileSize: number): ServiceError =>
  fault(6000, 1363033, `Only ${startOffset} of ${fileSize} bytes were received.`, {
    data: { start_offset: startOffset, end_offset: fileSize },
  });

export const beyondEnd = (fileSize: number): ServiceError =>
  fault(6000, 1363045, `The chunk exceeds the announced size of ${fileSize} bytes.`);

export const wrongOffset = (startOffset: number, endOffset: number): ServiceError =>
  fault(6001, 1363037, `The next chunk must begin at byte ${startOffset}.`, {
    data: { start_offset: startOffset, end_offset: endOffset },
    isTransient: true,
  });

const LISTED = 'Finish one, or delete its video: GET /{owner-id}/videos?type=uploading lists them.';

export const tooManySessions = (): ServiceError =>
  fault(
    475,
    1363021,
    `This owner has ${UPLOADS.sessionsPerOwner} uploads under way, the most that there may be. ${LISTED}`,
    {
      status: 403,
      audit: 'limit reached: unfinished uploads of an owner',
    },
  );

/** With a `cause`, the network failed and a retry may succeed; without one, the URL itself is refused. */
export const notFetched = (detail: string, cause?: unknown, audit?: string): ServiceError =>
  subcodeError(
    'VIDEO__CREATE_FAILED',
    detail,
    {
      code: 389,
      message: `(#389) The video could not be fetched: ${detail}`,
      isTransient: cause !== undefined,
      ...defined({ audit }),
    },
    { cause },
  );

export const busyFetching = (): ServiceError =>
  subcodeError('VIDEO__CREATE_FAILED', undefined, {
    code: 389,
    status: 503,
    message: '(#389) The video could not be fetched: too many downloads in progress. Try again in a minute.',
    userMessage: 'Too many downloads in progress. Try again in a minute.',
    audit: 'limit reached: downloads by file_url',
  });

/** What uploads answer when they cannot be taken. Subcodes are those that clients of the conventions retry on. */

import { isCode } from '../../lib/errors.js';
import { ServiceError, subcodeError } from '../../spec/service-errors.js';

/** The published subcode, with what went wrong. `ours`: the fault is on this side. */
export function createFailed(detail: string, options: { ours?: boolean; cause?: unknown } = {}): ServiceError {
  return subcodeError('VIDEO__CREATE_FAILED', detail, options.ours ? { status: 500 } : undefined, {
    cause: options.cause,
  });
}

/** A fault of the disk or the object storage while bytes were written. */
export function writeFailed(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) {
    return createFailed('The server has no room for the file now.', { ours: true, cause: error });
  }
  return createFailed('The server could not keep the file.', { ours: true, cause: error });
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
  fault(6000, 1363033, `Only ${startOffset} of ${fileSize} bytes have arrived.`, {
    data: { start_offset: startOffset, end_offset: fileSize },
  });

export const beyondEnd = (fileSize: number): ServiceError =>
  fault(6000, 1363045, `The chunk goes beyond the ${fileSize} bytes that were announced.`);

export const wrongOffset = (startOffset: number, endOffset: number): ServiceError =>
  fault(6001, 1363037, `The chunk does not begin at byte ${startOffset}, where the next one is expected.`, {
    data: { start_offset: startOffset, end_offset: endOffset },
    isTransient: true,
  });

export const tooManySessions = (): ServiceError =>
  fault(475, 1363021, 'Too many uploads of this owner are unfinished.', { status: 403 });

export const notFetched = (detail: string, cause?: unknown): ServiceError =>
  subcodeError(
    'VIDEO__CREATE_FAILED',
    detail,
    { code: 389, message: `(#389) The video could not be fetched: ${detail}` },
    { cause },
  );

export const busyFetching = (): ServiceError =>
  subcodeError('VIDEO__CREATE_FAILED', undefined, {
    code: 389,
    status: 503,
    message: '(#389) The video could not be fetched: too many files are being fetched now. Try again in a minute.',
    userMessage: 'Too many files are being fetched now. Try again in a minute.',
  });

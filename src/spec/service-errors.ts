/**
 * Errors of requests: the published error_subcodes and permission errors, and the codes of the Graph conventions. Thrown
 * as `ServiceError` and rendered into the envelope in one place.
 */
import { defined } from '../lib/objects.js';

export interface ServiceErrorShape {
  readonly code: number;
  readonly subcode?: number | string;
  readonly type: 'OAuthException' | 'GraphMethodException' | 'FacebookApiException' | 'CodedException';
  readonly status: number;
  readonly message: string;
  readonly title?: string;
  readonly userMessage?: string;
  readonly isTransient?: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Its line in the audit log, if its code does not tell. Never sent. */
  readonly audit?: string;
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code = 'SERVICE_ERROR';
  readonly shape: ServiceErrorShape;

  constructor(shape: ServiceErrorShape, options?: { cause?: unknown }) {
    super(shape.message, options);
    this.shape = shape;
  }
}

/** Code of the rule COPYRIGHT_VIOLATION: its record and the end of a broadcast by it mean the subcode of that name. */
export const COPYRIGHT_CODE = 6601;

/**
 * The seven published rows of the error_subcode table, each with its envelope. `number` is for clients that decode numbers
 * only: it stands beside the name, in error_data.
 */
export const SUBCODES = {
  COPYRIGHT__LIVE_COPYRIGHT_VIOLATION: {
    number: 1390001,
    summary: 'Live Copyright Violation',
    text: 'The live video was stopped because it may contain audio or visual content that belongs to a different Page.',
    code: 368,
    status: 403,
    type: 'OAuthException',
  },
  VIDEO__CREATE_FAILED: {
    number: 1390002,
    summary: 'Upload Problem',
    text: 'The video was not uploaded. Retry.',
    code: 6001,
    status: 400,
    type: 'OAuthException',
  },
  LIVE_VIDEO__DELETE_FAILED: {
    number: 1390003,
    summary: 'Live Video Not Deleted',
    text: 'The live video could not be deleted. Retry.',
    code: 1,
    status: 500,
    type: 'OAuthException',
  },
  LIVE_VIDEO__EDIT_API_NOT_ALLOWED: {
    number: 1390004,
    summary: 'Editing Via Video API Is Not Allowed While Live',
    text: 'Editing a live video with the video edit endpoint is refused. Use the live video ID.',
    code: 100,
    status: 400,
    type: 'OAuthException',
  },
  LIVE_VIDEO__LIVE_STREAM_ERROR: {
    number: 1390005,
    summary: 'Generic Stream',
    text: 'An error occurred during the stream.',
    code: 100,
    status: 400,
    type: 'OAuthException',
  },
  LIVE_VIDEO__NOT_EXIST: {
    number: 1390006,
    summary: 'Live Video Does Not Exist',
    text: 'No live video with this ID.',
    code: 100,
    status: 400,
    type: 'GraphMethodException',
  },
  LIVE_VIDEO__PRIVACY_REQUIRED: {
    number: 1390007,
    summary: 'Privacy Setting Required',
    text: 'A privacy setting must be set before going live.',
    code: 100,
    status: 400,
    type: 'OAuthException',
  },
} as const;

export type Subcode = keyof typeof SUBCODES;

/** An error with a published subcode. `detail` is appended to the text of the row. */
export function subcodeError(
  subcode: Subcode,
  detail?: string,
  overrides?: Partial<ServiceErrorShape>,
  options?: { cause?: unknown },
): ServiceError {
  const row = SUBCODES[subcode];
  return new ServiceError(
    {
      code: row.code,
      subcode,
      type: row.type,
      status: row.status,
      message: `(#${row.code}) ${row.text}${detail ? ` ${detail}` : ''}`,
      title: row.summary,
      userMessage: detail ? `${row.text} ${detail}` : row.text,
      // A file that is refused now is refused again; a fault of the server may be gone.
      isTransient:
        subcode === 'LIVE_VIDEO__DELETE_FAILED' ||
        (subcode === 'VIDEO__CREATE_FAILED' && (overrides?.status ?? row.status) >= 500),
      ...overrides,
      data: { ...overrides?.data, subcode: row.number },
    },
    options,
  );
}

/** The published permission errors for going live from a profile. */
export const ELIGIBILITY = {
  minimumProfileAgeDays: 60,
  minimumFollowers: 100,
  tooYoung: {
    subcode: 1363120,
    text: 'The profile is younger than 60 days. It must be at least 60 days old before going live.',
  },
  tooFewFollowers: {
    subcode: 1363144,
    text: 'The profile has fewer than 100 followers. At least 100 followers are needed to go live from a profile.',
  },
} as const;

export function eligibilityError(row: { subcode: number; text: string }): ServiceError {
  return new ServiceError({
    code: 200,
    subcode: row.subcode,
    type: 'OAuthException',
    status: 403,
    message: 'Permissions error',
    title: 'Not eligible to go live',
    userMessage: row.text,
    isTransient: false,
  });
}

/** An owner has reached one of its limits (code 341, the application limit of the Graph conventions). */
export function quotaError(message: string): ServiceError {
  return new ServiceError({
    code: 341,
    type: 'OAuthException',
    status: 403,
    message: `(#341) ${message}`,
    title: 'Limit Reached',
    userMessage: message,
    isTransient: false,
  });
}

/**
 * Content of a Page or a group is for the audience of that: a narrower one is refused, since it would be shown to more than its
 * owner wants. The subcode follows those of the published rows. `hideWith`: the parameter that hides the object instead.
 */
export function narrowerPrivacyError(message: string, hideWith: Readonly<Record<string, string>>): ServiceError {
  const instead = Object.entries(hideWith).map(([name, value]) => `${name}=${value}`);
  return new ServiceError({
    code: 100,
    subcode: NARROWER_PRIVACY,
    type: 'OAuthException',
    status: 400,
    message: `(#100) ${message}. Use ${instead.join(', ')} to hide it`,
    isTransient: false,
    data: { hide_with: hideWith },
  });
}

export const NARROWER_PRIVACY = 1390008;

/** An invalid or missing parameter, or a request that the state of the object does not permit. */
export function parameterError(message: string, subcode?: number): ServiceError {
  return new ServiceError({
    code: 100,
    ...defined({ subcode }),
    type: 'OAuthException',
    status: 400,
    message: `(#100) ${message}`,
    isTransient: false,
  });
}

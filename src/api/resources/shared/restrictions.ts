/**
 * Parameters of the conventions that restrict a video and are not supported. They are refused by name: ignoring one would
 * publish what the owner wanted to hide.
 */
import type { z } from 'zod';
import { narrowerPrivacyError, parameterError } from '../../../spec/service-errors.js';
import { bool, list, oneOf, record } from '../../params/kinds.js';
import { HIDE } from './privacy.js';

export const REFUSED = {
  secret: bool().optional(),
  reference_only: bool().optional(),
  /** Neither the place nor the age of a viewer is known. An empty object restricts nothing. */
  targeting: record().optional(),
};

const MODERATION = [
  'DEFAULT',
  'DISCUSSION',
  'FOLLOWED',
  'FOLLOWER',
  'NO_HYPERLINK',
  'PROTECTED_MODE',
  'RESTRICTED',
  'SLOW',
  'SUPPORTER',
  'TAGGED',
] as const;

export const REFUSED_LIVE = {
  ...REFUSED,
  /** Where recording is on, every broadcast is recorded. */
  save_vod: bool().optional(),
  live_comment_moderation_setting: list(oneOf(MODERATION)).optional(),
};

type Restrictions = { readonly [name in keyof typeof REFUSED_LIVE]?: z.output<(typeof REFUSED_LIVE)[name]> };

/** @throws ServiceError 100, with the subcode of a narrower privacy where the object can be hidden otherwise */
export function refuseRestrictions(params: Restrictions, kind: keyof typeof HIDE): void {
  for (const name of ['secret', 'reference_only'] as const) {
    if (params[name]) throw narrowerPrivacyError(`Param ${name} must be false: it is not supported`, HIDE[kind]);
  }
  if (Object.keys(params.targeting ?? {}).length > 0) {
    throw parameterError('Param targeting must be empty: it is not supported. Use privacy');
  }
  if (params.live_comment_moderation_setting?.some((setting) => setting !== 'DEFAULT')) {
    throw parameterError(
      'Param live_comment_moderation_setting must be DEFAULT: others are not supported. Hide comments with is_hidden',
    );
  }
  if (params.save_vod === false) {
    throw parameterError('Param save_vod must be true: delete the live video and its Video after the broadcast');
  }
}

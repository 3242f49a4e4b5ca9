/**
 * Parameters of the conventions that restrict a video and are not supported. They are refused by name: ignoring one would
 * publish what the owner wanted to hide.
 */
import { parameterError } from '../../../spec/service-errors.js';
import { bool } from '../../params/kinds.js';

export const REFUSED = {
  secret: bool().optional(),
  reference_only: bool().optional(),
};

/** Where recording is on, every broadcast is recorded. */
export const REFUSED_LIVE = { ...REFUSED, save_vod: bool().optional() };

type Restrictions = { readonly [name in keyof typeof REFUSED_LIVE]?: boolean | undefined };

/** @throws ServiceError 100 */
export function refuseRestrictions(params: Restrictions): void {
  for (const name of ['secret', 'reference_only'] as const) {
    if (params[name]) throw parameterError(`Param ${name} must be false: it is not supported. Use published=false`);
  }
  if (params.save_vod === false) {
    throw parameterError('Param save_vod must be true: delete the live video and its Video after the broadcast');
  }
}

/** Encoder settings that the operator chose for a live video. OBS gets them when it asks; the profile to import has them. */

import type { EncoderWishes } from '../../../golive/plan.js';
import { PROFILE_NAMES } from '../../../golive/profile-choice.js';
import type { LiveVideoData } from '../../../lifecycle/documents.js';
import { bool, int, oneOf } from '../../params/kinds.js';

/** `auto` and 0: derived from what the encoder can send. */
export const encoderWishParams = {
  encoder_profile: oneOf(['auto', ...PROFILE_NAMES]).optional(),
  encoder_bitrate: int({ min: 0, max: 100_000 }).optional(),
  enable_multitrack: bool().optional(),
};

export function encoderWishFields(params: {
  readonly encoder_profile?: string | undefined;
  readonly encoder_bitrate?: number | undefined;
  readonly enable_multitrack?: boolean | undefined;
}) {
  return {
    encoderProfile: params.encoder_profile,
    encoderKbps: params.encoder_bitrate,
    isMultitrack: params.enable_multitrack,
  };
}

export function wishesOf({ encoderProfile, encoderKbps, isMultitrack = false }: LiveVideoData): EncoderWishes {
  return {
    ...(encoderProfile === undefined || encoderProfile === 'auto' ? {} : { profile: encoderProfile }),
    ...(encoderKbps === undefined || encoderKbps === 0 ? {} : { videoKbps: encoderKbps }),
    ...(isMultitrack ? { isMultitrack } : {}),
  };
}

/** Encoder settings that the operator chose for a live video. OBS gets them when it asks; the profile to import has them. */
import type { LiveVideoData } from '../../../broadcast/documents.js';
import type { EncoderWishes } from '../../../golive/plan.js';
import { PROFILE_NAMES } from '../../../golive/profile-choice.js';
import { int, oneOf } from '../../params/kinds.js';

/** `auto` and 0: derived from what the encoder can send. */
export const encoderWishParams = {
  encoder_profile: oneOf(['auto', ...PROFILE_NAMES]).optional(),
  encoder_bitrate: int({ min: 0, max: 100_000 }).optional(),
};

export function encoderWishFields(params: {
  readonly encoder_profile?: string | undefined;
  readonly encoder_bitrate?: number | undefined;
}) {
  return { encoderProfile: params.encoder_profile, encoderKbps: params.encoder_bitrate };
}

export function wishesOf({ encoderProfile, encoderKbps }: LiveVideoData): EncoderWishes {
  return {
    ...(encoderProfile === undefined || encoderProfile === 'auto' ? {} : { profile: encoderProfile }),
    ...(encoderKbps === undefined || encoderKbps === 0 ? {} : { videoKbps: encoderKbps }),
  };
}

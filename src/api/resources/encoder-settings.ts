/** Recommended encoder settings, from the profile table of the specification. */
import { profileFor, targetKbps } from '../../golive/profile-choice.js';
import { LIVE } from '../../spec/live.js';

export interface EncoderInput {
  readonly width?: number;
  readonly height?: number;
  readonly frameRate?: number;
  readonly bitrateKbps?: number;
  readonly channels?: number;
  readonly sampleRateHz?: number;
}

export function recommendedSettings(input: EncoderInput = {}) {
  const profile = profileFor(input);
  const { min, max } = profile.videoBitrateKbps;
  const bitrate = Math.min(max, Math.max(min, input.bitrateKbps ?? targetKbps(profile)));
  const frameRate = profile.fps ?? 30;
  const level = LIVE.videoCodec.maxLevelTimes10[frameRate] / 10;
  const rates: readonly number[] = LIVE.audio.sampleRatesHz;
  const sampleRate = rates.find((each) => each === input.sampleRateHz) ?? 48_000;
  return {
    streaming_protocol: 'rtmps',
    video_codec_settings: {
      video_codec: 'h264',
      video_bitrate: bitrate,
      video_width: profile.width,
      video_height: profile.height,
      video_framerate: frameRate,
      video_h264_profile: 'high',
      video_h264_level: level.toFixed(1),
      video_gop_size: (LIVE.keyFrameInterval.recommendedMs / 1000) * frameRate,
      video_gop_type: 'fixed',
      video_gop_closed: true,
      video_gop_num_b_frames: 2,
      video_gop_num_ref_frames: 3,
      video_scan_mode: 'progressive',
      rate_control_mode: 'cbr',
      buffer_size: bitrate,
    },
    audio_codec_settings: {
      audio_codec: 'aac',
      audio_bitrate: LIVE.audio.bitrateKbps.preferred,
      audio_channels: LIVE.audio.channels,
      audio_samplerate: sampleRate,
    },
  };
}

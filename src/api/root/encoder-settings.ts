/** `GET /video_encoder_settings`: stateless, without a token. */
import { z } from 'zod';
import type { Answer, Call } from '../graph/call.js';
import { int, list, oneOf, text } from '../params/kinds.js';
import { parseParams } from '../params/parse.js';
import { recommendedSettings } from '../resources/encoder-settings.js';

const positive = () => int({ min: 1, max: 100_000 }).optional();

export const encoderParams = z.object({
  video_type: oneOf(['live', 'vod']).optional(),
  input_video_width: positive(),
  input_video_height: positive(),
  input_video_framerate: positive(),
  input_video_bitrate: positive(),
  input_audio_channels: positive(),
  input_audio_samplerate: int({ min: 1, max: 1_000_000 }).optional(),
  cap_streaming_protocols: list(text()).optional(),
  cap_video_codecs: list(text()).optional(),
  cap_audio_codecs: list(text()).optional(),
});

export async function encoderSettings(call: Call): Promise<Answer> {
  const given = parseParams(encoderParams, call.params);
  const input = {
    width: given.input_video_width,
    height: given.input_video_height,
    frameRate: given.input_video_framerate,
    bitrateKbps: given.input_video_bitrate,
    channels: given.input_audio_channels,
    sampleRateHz: given.input_audio_samplerate,
  };
  const known = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const { video_codec_settings: video, audio_codec_settings: audio } = recommendedSettings(known);
  return {
    body: {
      streaming_protocol: 'rtmps',
      rtmps_settings: {
        video_codec: 'h264',
        video_codec_settings: video,
        audio_codec: 'aac',
        audio_codec_settings: audio,
      },
    },
  };
}

/** Remedies for hardware encoders. Their menus differ too much, so these use the standards' terms, as most menus do. */

import type { Remedies } from './labels.js';
import { HARDWARE } from './labels.js';

const term = HARDWARE.standard;
const SET = 'On the encoder, set the';
const KEY_FRAMES = `${SET} ${term.gop} or ${term.keyFrameInterval} to 2 seconds: 60 frames at 30 fps, 120 at 60 fps.`;
const LOWER_BITRATE = `${SET} ${term.videoBitrate} to {target}, or use a wired uplink.`;

export const HARDWARE_REMEDIES: Remedies = {
  6101: `${SET} ${term.address} of the stream to the one that begins with rtmps://.`,
  6201: `${SET} ${term.videoCodec} to H.264 (AVC), not H.265 (HEVC).`,
  6202: `${SET} ${term.level} to automatic or 4.1 (4.2 at 60 fps).`,
  6203: `${SET} ${term.level} to automatic, or higher.`,
  6204: `${SET} stream (not the input) ${term.resolution} to 1920x1080 or less.`,
  6205: `${SET} stream (not the input) ${term.resolution} to one of these sizes.`,
  6206: `${SET} stream ${term.frameRate} to 30 or 60 (30 for 480p).`,
  6207: `${SET} stream ${term.resolution} to a 16:9 size such as 1280x720, and the input to the same shape.`,
  6208: KEY_FRAMES,
  6209: KEY_FRAMES,
  6210: `${SET} ${term.rateControl} to CBR and lower the ${term.videoBitrate}.`,
  6211: `${SET} ${term.rateControl} to CBR and raise the ${term.videoBitrate}.`,
  6212: `On the encoder, turn ${term.deinterlacing} on, or feed it a progressive signal.`,
  6213: `${SET} ${term.profile} to main or high, which code 4:2:0 with 8 bits.`,
  6214: `${SET} ${term.gop} to closed, and turn intra refresh off.`,
  6215: KEY_FRAMES,
  6216: `On the encoder, send one stream to this ${term.address}.`,
  6301: `${SET} ${term.audioCodec} to AAC.`,
  6302: `${SET} ${term.audioCodec} to AAC-LC, not HE-AAC (AAC+).`,
  6303: `${SET} audio ${term.sampleRate} to 48 kHz.`,
  6304: `${SET} audio ${term.channels} to stereo.`,
  6305: `${SET} ${term.audioBitrate} to 128 kbps.`,
  6306: `${SET} ${term.audioBitrate} to 128 kbps.`,
  6401: `On the encoder, check the video input and that a ${term.videoCodec} is on.`,
  6402: `On the encoder, choose the audio input that carries sound (embedded or analog), and an ${term.audioCodec}.`,
  6405: `${SET} ${term.audioDelay} to 0 and restart the stream.`,
  6406: `On the encoder, lower the ${term.videoBitrate}, or use a wired uplink.`,
  6408: `On the encoder, lower the stream ${term.resolution} or ${term.frameRate}.`,
  6902: LOWER_BITRATE,
  6903: LOWER_BITRATE,
  6905: `On the encoder, lower the stream ${term.resolution} or ${term.frameRate}.`,
};

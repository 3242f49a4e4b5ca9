/** Remedies for Wirecast: Output Settings, and the encoder preset that the gear at Encoding opens. */

import type { Remedies } from './labels.js';
import { WIRECAST } from './labels.js';

const { places } = WIRECAST;
const names = { ...WIRECAST.settings, ...WIRECAST.standard };
const OUTPUT = `In Wirecast, ${places.outputSettings}`;
const PRESET = `${OUTPUT} > ${places.encoding} > ${places.details}`;
const LOWER_BITRATE = `${PRESET}: lower ${names.averageBitrate} to {target}, or use a wired connection.`;

export const WIRECAST_REMEDIES: Remedies = {
  6101: `${OUTPUT} > ${names.address}: use the address that begins with rtmps://.`,
  6201: `${PRESET}: ${names.encoder} x264 or another H.264 one.`,
  6202: `${PRESET}: no level in ${names.x264Options}; at most ${names.width} 1920 and ${names.height} 1080.`,
  6203: `${PRESET}: no level in ${names.x264Options}.`,
  6204: `${PRESET}: ${names.width} 1920 and ${names.height} 1080, or less.`,
  6205: `${PRESET}: ${names.width} and ${names.height} of one of these sizes.`,
  6206: `${PRESET}: ${names.framesPerSecond} 30 or 60 (30 for 480p).`,
  6207: `${PRESET}: ${names.width} and ${names.height} in 16:9, such as 1280 and 720.`,
  6208: `${PRESET}: ${names.keyFrameEvery} 60 frames at 30 fps (120 at 60 fps).`,
  6209: `${PRESET}: ${names.keyFrameEvery} 60 frames at 30 fps (120 at 60 fps).`,
  6210: `${PRESET}: a lower ${names.averageBitrate}, and ${names.strictConstant} on.`,
  6211: `${PRESET}: a higher ${names.averageBitrate}, and ${names.strictConstant} on.`,
  6212: `In Wirecast, turn ${names.deinterlacing} on in the settings of the interlaced source.`,
  6213: `${PRESET}: ${names.profile} Main or Baseline.`,
  6214: `${PRESET}: no open-gop and no intra-refresh in ${names.x264Options}.`,
  6215: `${PRESET}: ${names.keyFrameEvery} 60 frames at 30 fps (120 at 60 fps).`,
  6216: `${OUTPUT}: one ${names.destination} with this address.`,
  6301: `${PRESET}: ${names.audioEncoding} on.`,
  6302: `${PRESET}: ${names.audioEncoding} with ${names.targetBitrate} 128.`,
  6303: `${PRESET}: ${names.sampleRate} 48.000 kHz.`,
  6304: `${PRESET}: ${names.channels} Stereo.`,
  6305: `${PRESET}: ${names.targetBitrate} 128.`,
  6306: `${PRESET}: ${names.targetBitrate} 128.`,
  6401: `${PRESET}: ${names.videoEncoding} on.`,
  6402: `${PRESET}: ${names.audioEncoding} on; and ${names.audioTrackSelection} with a track that carries sound.`,
  6405: `In Wirecast, set the ${names.audioDelay} of each source to 0.`,
  6406: `${PRESET}: a lower ${names.averageBitrate}, or use a wired connection.`,
  6408: `${PRESET}: a ${names.quality} that encodes faster, or fewer ${names.framesPerSecond}.`,
  6902: LOWER_BITRATE,
  6903: LOWER_BITRATE,
  6905: `${PRESET}: a ${names.quality} that encodes faster, fewer ${names.framesPerSecond}, or an ${names.encoder} with NVENC.`,
};

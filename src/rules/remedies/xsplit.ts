/** Remedies for XSplit Broadcaster. Its documentation was not available, so these use the standards' terms. */

import type { Remedies } from './labels.js';
import { XSPLIT } from './labels.js';

const names = XSPLIT.standard;
const OUTPUT = 'In XSplit, in the settings of the output';
const VIDEO = 'In XSplit, in the video encoding settings of the output';
const AUDIO = 'In XSplit, in the audio encoding settings of the output';
const LOWER_BITRATE = `${VIDEO}: lower the ${names.videoBitrate} to {target}, or use a wired connection.`;

export const XSPLIT_REMEDIES: Remedies = {
  6101: `${OUTPUT}: an ${names.address} that begins with rtmps://.`,
  6201: `${VIDEO}: an H.264 ${names.videoCodec} such as x264.`,
  6202: `${VIDEO}: an automatic ${names.level}, and a ${names.resolution} of 1920x1080 or less.`,
  6203: `${VIDEO}: an automatic ${names.level}.`,
  6204: `${OUTPUT}: a ${names.resolution} of 1920x1080 or less.`,
  6205: `${OUTPUT}: a ${names.resolution} of one of these sizes.`,
  6206: `${OUTPUT}: a ${names.frameRate} of 30 or 60 (30 for 480p).`,
  6207: `${OUTPUT}: a 16:9 ${names.resolution} such as 1280x720.`,
  6208: `${VIDEO}: a ${names.keyFrameInterval} of 2 seconds.`,
  6209: `${VIDEO}: a ${names.keyFrameInterval} of 2 seconds.`,
  6210: `${VIDEO}: CBR as ${names.rateControl}, and a lower ${names.videoBitrate}.`,
  6211: `${VIDEO}: CBR as ${names.rateControl}, and a higher ${names.videoBitrate}.`,
  6212: `In XSplit, turn ${names.deinterlacing} on in the settings of the interlaced source.`,
  6213: `${VIDEO}: the ${names.profile} main or high.`,
  6214: `${VIDEO}: x264 as ${names.videoCodec}, with a closed ${names.gop}.`,
  6215: `${VIDEO}: a ${names.keyFrameInterval} of 2 seconds.`,
  6216: `${OUTPUT}: this ${names.address} in one output only.`,
  6301: `${AUDIO}: AAC as ${names.audioCodec}.`,
  6302: `${AUDIO}: AAC-LC as ${names.audioCodec}, with an ${names.audioBitrate} of 128 kbps.`,
  6303: `${AUDIO}: a ${names.sampleRate} of 48 kHz.`,
  6304: `${AUDIO}: two ${names.channels} (stereo).`,
  6305: `${AUDIO}: an ${names.audioBitrate} of 128 kbps.`,
  6306: `${AUDIO}: an ${names.audioBitrate} of 128 kbps.`,
  6401: `${VIDEO}: check that a ${names.videoCodec} is chosen, and that a scene is shown.`,
  6402: `${AUDIO}: check that an ${names.audioCodec} is chosen, and that a source carries sound.`,
  6405: `In XSplit, set the ${names.audioDelay} of each source to 0.`,
  6406: `${VIDEO}: a lower ${names.videoBitrate}, or use a wired connection.`,
  6408: `${VIDEO}: a faster ${names.preset}, or a lower ${names.frameRate}.`,
  6902: LOWER_BITRATE,
  6903: LOWER_BITRATE,
  6905: `${VIDEO}: a faster ${names.preset}, a lower ${names.frameRate}, or NVENC as ${names.videoCodec}.`,
};
